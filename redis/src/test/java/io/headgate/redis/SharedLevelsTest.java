package io.headgate.redis;

import static io.headgate.redis.LevelScenario.key;
import static io.headgate.redis.LevelScenario.level;
import static io.headgate.redis.LevelScenario.overload;
import static io.headgate.redis.LevelScenario.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.load.LoadSignal;
import io.headgate.redis.LevelScenario.ShiftedClock;
import io.headgate.rule.Subject;
import io.headgate.store.Ticker;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that instances with one Redis agree on the levels of backends. */
class SharedLevelsTest {
  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static RateLimiter limiter(Ticker clock) {
    return LevelScenario.limiter(server.uri(), clock);
  }

  @Test
  void instancesWithClocksApartAgreeAfterOneExchange() {
    try (var one = limiter(new ShiftedClock(Duration.ofHours(3)));
        var other = limiter(new ShiftedClock(Duration.ofHours(-5)))) {
      one.check(request("a", 0));
      other.check(request("a", 0));
      overload(one, "a", 0.05);
      other.signals().sync().join();
      var here = one.signals().levels().getFirst();
      var there = other.signals().levels().getFirst();
      assertThat(there.level()).isEqualTo(here.level());
      int dropped = 0;
      for (int user = 0; user < 200; user++) {
        boolean passed = one.peek(request("a", user)).isAllowed();
        assertThat(other.peek(request("a", user)).isAllowed()).isEqualTo(passed);
        if (!passed) dropped++;
      }
      assertThat(dropped).isLessThan(200);
    }
  }

  @Test
  void backgroundThreadsExchangeSignals() {
    try (var one = limiter(Ticker.system());
        var other = limiter(Ticker.system())) {
      other.check(request("b", 0));
      Eventually.holds(
          "the other instance sheds",
          LevelScenario.TIMEOUT,
          () -> {
            one.signals().report(Subject.of("backend", "b"), LoadSignal.ofUtilization(1));
            return other.signals().levels().getFirst().level() > 0;
          });
    }
  }

  @Test
  void killedServerLeavesTheLevelWhichFades() {
    var own = RedisServer.start();
    var clock = new ShiftedClock(Duration.ZERO);
    try (var limiter = LevelScenario.limiter(own.uri(), clock)) {
      overload(limiter, "c", 0.01);
      double held = limiter.signals().levels().getFirst().level();
      own.kill();
      assertThat(level(limiter, "c")).isEqualTo(held);
      clock.advance(LevelScenario.FADED);
      assertThat(limiter.check(request("c", 1)).isAllowed()).isTrue();
      assertThat(level(limiter, "c")).isZero();
    } finally {
      own.close();
    }
  }

  @Test
  void stateOfABackendExpires() {
    try (var limiter = limiter(Ticker.system())) {
      overload(limiter, "d", 0);
      String key = key("d");
      assertThat(Long.parseLong(server.call("PTTL", key).toString())).isBetween(1L, 60_000L);
    }
  }
}
