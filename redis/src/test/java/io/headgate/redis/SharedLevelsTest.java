package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.Shed;
import io.headgate.load.LoadSignal;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Ticker;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that instances with one Redis agree on the levels of backends. */
class SharedLevelsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final RuleSet RULES =
      RuleSet.of(
          Rule.named("shed")
              .match("backend", "*")
              .limit(new Shed(ShedPolicy.of(SignalKind.UTILIZATION, 0.8).withCallers("user")))
              .build());

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** A clock that differs from the server's by hours, and that tests advance. */
  private static final class ShiftedClock implements Ticker {
    private final AtomicLong shift;

    ShiftedClock(Duration shift) {
      this.shift = new AtomicLong(shift.toMillis() * 1_000);
    }

    @Override
    public long micros() {
      return Ticker.system().micros() + shift.get();
    }
  }

  private static RateLimiter limiter(Ticker clock) {
    return RateLimiter.with(RedisStore.connect(server.uri()), RULES, clock);
  }

  private static Subject request(String backend, int user) {
    return Subject.of(Map.of("backend", backend, "user", Integer.toString(user)));
  }

  private static double level(RateLimiter limiter) {
    limiter.signals().sync().join();
    return limiter.signals().levels().getFirst().level();
  }

  /** Raises the level as fast as the controller permits, which needs some reports. */
  private static void overload(RateLimiter limiter, String backend, double level) {
    Eventually.holds(
        "the level rises",
        TIMEOUT,
        () -> {
          limiter
              .signals()
              .report(Subject.of("backend", backend), "instance", LoadSignal.ofUtilization(1));
          return level(limiter) > level;
        });
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
          TIMEOUT,
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
    try (var limiter = RateLimiter.with(RedisStore.connect(own.uri()), RULES, clock)) {
      overload(limiter, "c", 0.01);
      double held = limiter.signals().levels().getFirst().level();
      own.kill();
      assertThat(level(limiter)).isEqualTo(held);
      clock.shift.addAndGet(16_000_000);
      assertThat(limiter.check(request("c", 1)).isAllowed()).isTrue();
      assertThat(level(limiter)).isZero();
    } finally {
      own.close();
    }
  }

  @Test
  void stateOfABackendExpires() {
    try (var limiter = limiter(Ticker.system())) {
      overload(limiter, "d", 0);
      String key = "headgate:{d}shed|||load";
      assertThat(Long.parseLong(server.call("PTTL", key).toString())).isBetween(1L, 60_000L);
    }
  }
}
