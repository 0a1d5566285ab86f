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

class WaitingTest {
  private static final Rule REPORTS =
      Rule.named("reports")
          .match("report", "*")
          .limit(LeakyBucket.queueing(Rate.perSecond(4), 100))
          .build();
  private static final Rule SLOW =
      Rule.named("slow")
          .match("slow", "*")
          .limit(LeakyBucket.queueing(Rate.perMinute(1), 100))
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
  void whoWaitsIsAnsweredWhenTheSlotComes() {
    service.post("/v1/check", REPORT);
    long asked = System.nanoTime();
    var answer = service.post("/v1/check", REPORT);
    assertThat(System.nanoTime() - asked).isGreaterThanOrEqualTo(250_000_000);
    assertThat(answer.status()).isEqualTo(200);
    // The whole would be free 500 ms after asking, half of which has passed.
    assertThat(answer.body()).contains("\"resetAfterMs\":250,\"delayMs\":250,");
    assertThat(answer.header("RateLimit")).isEqualTo("\"reports\";r=99;t=1");
  }

  @Test
  void whoNeedNotWaitIsAnsweredAtOnce() {
    assertThat(service.post("/v1/check", REPORT).body()).contains("\"delayMs\":0,");
  }

  @Test
  void nobodyWaitsForADenial() {
    String all = "{\"subject\":{\"slow\":\"x\"},\"cost\":101,\"wait\":true}";
    assertThat(service.post("/v1/check", all).status()).isEqualTo(200);
    assertThat(service.post("/v1/check", all).status()).isEqualTo(429);
  }

  @Test
  void manyWaitWithoutAThreadEach() {
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
  void aClientThatLeavesTheLineGivesItsSlotsBack() {
    var subject = Subject.of("slow", "x").with("job", "etl");
    String body = "{\"subject\":{\"slow\":\"x\",\"job\":\"etl\"},\"wait\":true}";
    service.post("/v1/check", body); // goes ahead at once, and holds one slot
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
  void whoIsSilentIsHungUpOnAndWhoWaitsIsNot() {
    try (var impatient = RunningService.withIdleTimeout(Duration.ofMillis(300), REPORTS);
        var silent = impatient.connect();
        var waiting = impatient.connect()) {
      impatient.limiter.check(Subject.of("report", "pdf"), 4);
      waiting.sendPost("/v1/check", RawConnection.bytes(REPORT));
      assertThat(silent.isClosedByServer()).isTrue();
      assertThat(waiting.read().body()).contains("\"delayMs\":1000,");
    }
  }

  @Test
  void whoSendsHalfARequestIsHungUpOnToo() {
    try (var impatient = RunningService.withIdleTimeout(Duration.ofMillis(300), REPORTS);
        var slow = impatient.connect();
        var slower = impatient.connect()) {
      slow.send(RawConnection.bytes("POST /v1/check HTTP/1.1\r\nHost: x\r\nX-Slow: "));
      slower.send(RawConnection.head("POST /v1/check", "Content-Length: 10"));
      assertThat(slow.isClosedByServer()).isTrue();
      assertThat(slower.read().status()).isEqualTo(408);
      assertThat(slower.isClosedByServer()).isTrue();
    }
  }
}
