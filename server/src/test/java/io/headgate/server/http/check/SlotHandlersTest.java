package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.rule.Rule;
import io.headgate.server.http.RawConnection;
import io.headgate.server.http.RunningService;
import java.time.Duration;
import java.util.List;
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
                .build(),
            Rule.named("backends")
                .match("backend", "*")
                .limit(new AdaptiveConcurrency(2, 40, 10, Duration.ofSeconds(30)))
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
        .contains(
            "the slot '" + slot.substring(0, 20),
            "' has expired or was released and can't be released");
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

  private static final String PAYMENTS = "{\"subject\":{\"backend\":\"payments\"}}";

  /** Acquires a slot of the adaptive limit and returns the path of the slot. */
  private String acquireAdaptive() {
    var answer = service.post("/v1/slots", PAYMENTS);
    assertThat(answer.status()).isEqualTo(201);
    return answer.header("Location");
  }

  private String peekAdaptive() {
    return service.post("/v1/peek", PAYMENTS).body();
  }

  @Test
  void adaptiveLimitShowsItsPresentValueAndBounds() {
    var answer = service.post("/v1/slots", PAYMENTS);
    assertThat(answer.body())
        .startsWith("{\"allowed\":true,\"rule\":\"backends\",\"limit\":10,\"remaining\":9,")
        .contains(
            "\"algorithm\":\"adaptive-concurrency\",\"limit\":10,\"min\":2,\"max\":40,\"remaining\":9,");
    assertThat(answer.header("RateLimit-Policy"))
        .isEqualTo("\"backends\";q=10;qu=\"concurrent-requests\"");
    assertThat(answer.header("RateLimit")).isEqualTo("\"backends\";r=9;t=30");
    assertThat(service.post("/v1/explain", PAYMENTS).body())
        .contains("\"limit\":10,\"min\":2,\"max\":40,\"remaining\":9");
  }

  @Test
  void droppedCallsLowerAnAdaptiveLimitAndNoReportExceedsItsBounds() {
    for (int i = 0; i < 400; i++) {
      String slot = acquireAdaptive();
      service.clock.addAndGet(20_000);
      var released = service.request("DELETE", slot + "?outcome=dropped&durationMs=1000000000");
      assertThat(released.status()).isEqualTo(204);
    }
    String lowered = peekAdaptive().replaceAll(".*\"limit\":(\\d+),\"min\".*", "$1");
    assertThat(Integer.parseInt(lowered)).isBetween(2, 9);
    service.post("/v1/reset", PAYMENTS.replace("}}", "},\"rule\":\"backends\"}"));
    assertThat(peekAdaptive()).contains("\"limit\":10,");
  }

  @Test
  void outcomeAndDurationAreValidatedAndTheSlotStays() {
    String slot = acquireAdaptive();
    for (var row :
        List.of(
            List.of("?outcome=failed&durationMs=1", "outcome", "success, error, dropped"),
            List.of("?outcome=SUCCESS&durationMs=1", "outcome", "success, error, dropped"),
            List.of("?durationMs=1", "outcome", "is required with durationMs"),
            List.of("?outcome=success", "durationMs", "is required with outcome"),
            List.of("?outcome=success&durationMs=NaN", "durationMs", "got 'NaN'"),
            List.of("?outcome=success&durationMs=-1", "durationMs", "got '-1'"),
            List.of("?outcome=success&durationMs=1e9", "durationMs", "got '1e9'"),
            List.of("?outcome=success&durationMs=", "durationMs", "got ''"),
            List.of(
                "?outcome=success&durationMs=3155760000001", "durationMs", "0 to 3155760000000"),
            List.of("?outcome=success&durationMs=1&x=1", "x", "allowed: durationMs, outcome"))) {
      var answer = service.request("DELETE", slot + row.get(0));
      assertThat(answer.status()).as(row.get(0)).isEqualTo(400);
      assertThat(answer.body())
          .contains("\"field\":\"%s\"".formatted(row.get(1)))
          .contains(row.get(2));
    }
    assertThat(peekAdaptive()).contains("\"remaining\":9,");
    assertThat(service.request("DELETE", slot + "?outcome=success&durationMs=0.25").status())
        .isEqualTo(204);
    assertThat(service.request("DELETE", slot + "?outcome=success&durationMs=48").status())
        .as("once")
        .isEqualTo(404);
    assertThat(peekAdaptive()).contains("\"remaining\":10,");
  }

  @Test
  void constantLimitAcceptsAnOutcome() {
    String slot = acquire();
    assertThat(
            service
                .request("DELETE", "/v1/slots/" + slot + "?outcome=error&durationMs=48")
                .status())
        .isEqualTo(204);
    assertThat(isFree()).isTrue();
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
