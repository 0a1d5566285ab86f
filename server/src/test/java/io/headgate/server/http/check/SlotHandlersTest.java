package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.rule.Rule;
import io.headgate.server.http.RawConnection;
import io.headgate.server.http.RunningService;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SlotHandlersTest {
  private static final String JOB = "{\"subject\":{\"job\":\"etl\"}}";

  private RunningService service;

  @BeforeEach
  void start() {
    service =
        RunningService.with(
            Rule.named("jobs")
                .match("job", "*")
                .limit(Concurrency.of(1).withLease(Duration.ofSeconds(30)))
                .build());
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private String acquire() {
    var answer = service.post("/v1/slots", JOB);
    assertThat(answer.status()).isEqualTo(201);
    String id = answer.body().replaceAll(".*\"id\":\"([\\w-]+)\".*", "$1");
    assertThat(answer.header("Location")).isEqualTo("/v1/slots/" + id);
    return id;
  }

  private boolean isFree() {
    return service.post("/v1/peek", JOB).status() == 200;
  }

  @Test
  void slotIsHeldUntilItIsReleased() {
    String slot = acquire();
    var refused = service.post("/v1/slots", JOB);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.header("Retry-After")).isEqualTo("30");
    assertThat(service.request("DELETE", "/v1/slots/" + slot).status()).isEqualTo(204);
    assertThat(isFree()).isTrue();
  }

  @Test
  void allowedRequestWithoutAConcurrencyLimitAcquiresNoSlot() {
    var answer = service.post("/v1/slots", "{\"key\":\"unlimited\"}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).contains("\"allowed\":true").doesNotContain("\"id\":");
    assertThat(answer.header("Location")).isEqualTo("(none)");
  }

  @Test
  void checkThatAcquiresASlotIsNotAnsweredAsCreated() {
    var answer = service.post("/v1/check", JOB);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).contains("\"id\":");
  }

  @Test
  void releasedSlotCannotBeReleasedAgain() {
    String slot = acquire();
    service.request("DELETE", "/v1/slots/" + slot);
    var again = service.request("DELETE", "/v1/slots/" + slot);
    assertThat(again.status()).isEqualTo(404);
    assertThat(again.mediaType()).isEqualTo("application/problem+json");
    assertThat(again.body())
        .contains("this slot has expired or was released and can't be released");
  }

  @Test
  void renewedSlotOutlivesItsFirstExpiry() {
    String slot = acquire();
    service.clock.addAndGet(20_000_000);
    var renewed = service.request("PUT", "/v1/slots/" + slot);
    assertThat(renewed.status()).isEqualTo(200);
    assertThat(renewed.body()).isEqualTo("{\"renewed\":true,\"id\":\"" + slot + "\"}");
    service.clock.addAndGet(20_000_000);
    assertThat(isFree()).isFalse();
    service.clock.addAndGet(10_000_000);
    assertThat(isFree()).isTrue();
  }

  @Test
  void expiredSlotCannotBeRenewed() {
    String slot = acquire();
    service.clock.addAndGet(30_000_000);
    var late = service.request("PUT", "/v1/slots/" + slot);
    assertThat(late.status()).isEqualTo(404);
    assertThat(late.body()).contains("acquire another with POST /v1/slots");
  }

  @Test
  void bodyOfARenewalIsIgnored() {
    String slot = acquire();
    try (var connection = service.connect()) {
      connection.send(
          RawConnection.head(
              "PUT /v1/slots/" + slot, "Content-Type: text/plain", "Content-Length: 2"),
          RawConnection.bytes("ok"));
      assertThat(connection.read().status()).isEqualTo(200);
    }
  }
}
