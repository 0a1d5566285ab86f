package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.limit.Concurrency;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DelayedResponsesTest {
  private static final Rule REPORTS =
      Rule.named("reports")
          .match("report", "*")
          .limit(LeakyBucket.of(Rate.perSecond(4)).withQueue(100))
          .build();
  private static final Rule SLOW =
      Rule.named("slow")
          .match("slow", "*")
          .limit(LeakyBucket.of(Rate.perMinute(1)).withQueue(100))
          .build();
  private static final Rule JOBS =
      Rule.named("jobs").match("job", "*").limit(Concurrency.of(5)).build();

  private static final String REPORT = "{\"subject\":{\"report\":\"pdf\"},\"wait\":true}";

  private RunningService service;

  @BeforeEach
  void start() {
    service = RunningService.with(REPORTS, SLOW, JOBS);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void waitingRequestIsAnsweredAfterItsDelay() {
    service.post("/v1/check", REPORT);
    long sent = System.nanoTime();
    var answer = service.post("/v1/check", REPORT);
    assertThat(System.nanoTime() - sent).isGreaterThanOrEqualTo(250_000_000);
    assertThat(answer.status()).isEqualTo(200);
    // The queue is empty 500 ms after the request, half of which has passed.
    assertThat(answer.body()).contains("\"resetAfterMs\":250,\"delayMs\":250,");
    assertThat(answer.header("RateLimit")).isEqualTo("\"reports\";r=99;t=1");
  }

  @Test
  void requestWithoutDelayIsAnsweredAtOnce() {
    assertThat(service.post("/v1/check", REPORT).body()).contains("\"delayMs\":0,");
  }

  @Test
  void denialIsNotDelayed() {
    String all = "{\"subject\":{\"slow\":\"x\"},\"cost\":101,\"wait\":true}";
    assertThat(service.post("/v1/check", all).status()).isEqualTo(200);
    assertThat(service.post("/v1/check", all).status()).isEqualTo(429);
  }

  @Test
  void delayedResponsesNeedNoThreads() {
    var connections = new ArrayList<RawConnection>();
    try {
      for (int i = 0; i < 8; i++) {
        var connection = service.connect();
        connections.add(connection);
        connection.sendPost("/v1/check", RawConnection.bytes(REPORT));
      }
      var delays = new ArrayList<String>();
      for (var connection : connections) {
        delays.add(connection.read().body().replaceAll(".*\"delayMs\":(\\d+).*", "$1"));
      }
      assertThat(delays)
          .containsExactlyInAnyOrder("0", "250", "500", "750", "1000", "1250", "1500", "1750");
    } finally {
      connections.forEach(RawConnection::close);
    }
  }

  @Test
  void disconnectedClientReleasesItsSlots() {
    var subject = Subject.of("slow", "x").with("job", "etl");
    String body = "{\"subject\":{\"slow\":\"x\",\"job\":\"etl\"},\"wait\":true}";
    service.post("/v1/check", body); // allowed at once, and acquires one slot
    try (var connection = service.connect()) {
      connection.sendPost("/v1/check", RawConnection.bytes(body));
      await().until(() -> slotsLeft(subject) == 3);
    }
    await().until(() -> slotsLeft(subject) == 4);
  }

  private long slotsLeft(Subject subject) {
    return service.limiter.peek(Request.of(subject, 0)).limits().stream()
        .filter(limit -> limit.rule().equals("jobs"))
        .findFirst()
        .orElseThrow()
        .remaining();
  }

  @Test
  void idleConnectionIsClosedAndAWaitingOneIsNot() {
    try (var shortTimeout = RunningService.withIdleTimeout(Duration.ofMillis(300), REPORTS);
        var silent = shortTimeout.connect();
        var waiting = shortTimeout.connect()) {
      shortTimeout.limiter.check(Request.of(Subject.of("report", "pdf"), 4));
      waiting.sendPost("/v1/check", RawConnection.bytes(REPORT));
      assertThat(silent.isClosedByServer()).isTrue();
      assertThat(waiting.read().body()).contains("\"delayMs\":1000,");
    }
  }

  @Test
  void incompleteRequestIsDisconnected() {
    try (var shortTimeout = RunningService.withIdleTimeout(Duration.ofMillis(300), REPORTS);
        var slow = shortTimeout.connect();
        var slower = shortTimeout.connect()) {
      slow.send(RawConnection.bytes("POST /v1/check HTTP/1.1\r\nHost: x\r\nX-Slow: "));
      slower.send(RawConnection.head("POST /v1/check", "Content-Length: 10"));
      assertThat(slow.isClosedByServer()).isTrue();
      assertThat(slower.read().status()).isEqualTo(408);
      assertThat(slower.isClosedByServer()).isTrue();
    }
  }
}
