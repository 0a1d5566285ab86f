package io.headgate.redis;

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
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** A rule that sheds load, and what tests of shared levels do with it. */
final class LevelScenario {
  static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** The time after which a level without reports has faded to 0. */
  static final Duration FADED = Duration.ofSeconds(16);

  static final RuleSet RULES =
      RuleSet.of(
          Rule.named("shed")
              .match("backend", "*")
              .limit(new Shed(ShedPolicy.of(SignalKind.UTILIZATION, 0.8).withCallers("user")))
              .build());

  /** A clock that differs from the server's, and that tests advance. */
  static final class ShiftedClock implements Ticker {
    private final AtomicLong shift;

    ShiftedClock(Duration shift) {
      this.shift = new AtomicLong(shift.toMillis() * 1_000);
    }

    void advance(Duration duration) {
      shift.addAndGet(duration.toMillis() * 1_000);
    }

    @Override
    public long micros() {
      return Ticker.system().micros() + shift.get();
    }
  }

  static RateLimiter limiter(String uri, Ticker clock) {
    return RateLimiter.with(RedisStore.connect(uri), RULES, clock);
  }

  /** Returns the key of a backend's state. */
  static String key(String backend) {
    return "headgate:{%s}shed|||load".formatted(backend);
  }

  static Subject request(String backend, int user) {
    return Subject.of(Map.of("backend", backend, "user", Integer.toString(user)));
  }

  /** Exchanges signals and levels with the store, and returns the level of a backend. */
  static double level(RateLimiter limiter, String backend) {
    limiter.signals().sync().join();
    return limiter.signals().levels().stream()
        .filter(level -> level.backend().equals(backend))
        .mapToDouble(level -> level.level())
        .findFirst()
        .orElse(0);
  }

  /** Raises the level as fast as the controller permits, which needs some reports. */
  static void overload(RateLimiter limiter, String backend, double level) {
    Eventually.holds(
        "the level of %s rises above %s".formatted(backend, level),
        TIMEOUT,
        () -> {
          limiter
              .signals()
              .report(Subject.of("backend", backend), "instance", LoadSignal.ofUtilization(1));
          return level(limiter, backend) > level;
        });
  }

  private LevelScenario() {}
}
