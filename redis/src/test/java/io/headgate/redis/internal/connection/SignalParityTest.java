package io.headgate.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.internal.script.TestServer;
import io.headgate.limit.Shed;
import io.headgate.load.Setpoint;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Charge;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.LoadReading;
import io.headgate.store.MemorySignalStore;
import io.headgate.store.SignalReport;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.TestEffort;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Runs the controller in Java and in Lua and compares every bit of the readings. */
class SignalParityTest {
  private static final int STEPS = TestEffort.of(2_000, 5_000);
  private static TestServer redis;

  private final ManualTicker clock = ManualTicker.create();
  private final Random random = new Random(20_261_117);

  @BeforeAll
  static void start() {
    redis = TestServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  private static Charge level(SignalKind kind, double target) {
    var rule =
        Rule.named("shed").match("backend", "*").limit(new Shed(ShedPolicy.of(kind, target)));
    return RuleSet.of(rule.build()).signalled(Subject.of("backend", "checkout")).getFirst();
  }

  @Test
  void utilizationIsTheSameInLuaAsInJava() {
    compare("u:", level(SignalKind.UTILIZATION, 0.8), 5, 1.2);
  }

  @Test
  void latencyIsTheSameInLuaAsInJava() {
    compare("l:", level(SignalKind.LATENCY, 137.5), 2, 500);
  }

  @Test
  void sampleOfManyInstancesIsTheSameInLuaAsInJava() {
    compare("m:", level(SignalKind.ERRORS, 0.013), 200, 0.1);
  }

  private void compare(String prefix, Charge level, int reporters, double highest) {
    var java = new MemorySignalStore(clock);
    var lua = new RedisSignalStore(redis.connection(), prefix, clock::micros);
    var policy = ((Shed) level.limit()).policy();
    int shedding = 0;
    for (int step = 0; step < STEPS; step++) {
      clock.advance(Duration.ofNanos(1_000L * pause()));
      LoadReading expected;
      LoadReading actual;
      if (random.nextInt(4) == 0) {
        expected = java.read(level.counter(), level.key()).toCompletableFuture().join();
        actual = lua.read(level.counter(), level.key()).toCompletableFuture().join();
      } else {
        var report = report(level, policy.setpoint(), reporters, highest, step);
        expected = java.report(report).toCompletableFuture().join();
        actual = lua.report(report).toCompletableFuture().join();
      }
      assertThat(actual).as("step %d", step).isEqualTo(expected);
      if (actual.drop() > 0) shedding++;
    }
    assertThat(shedding).isBetween(STEPS / 20, STEPS * 19 / 20);
  }

  private SignalReport report(
      Charge level, Setpoint setpoint, int reporters, double highest, int step) {
    double load = 0.5 + 0.5 * Math.sin(step / 300.0); // from idle to overloaded and back
    double value =
        switch (random.nextInt(50)) {
          case 0 -> Double.NaN;
          case 1 -> -1;
          case 2 -> 1e9;
          case 3 -> Double.POSITIVE_INFINITY;
          default -> load * highest * (0.8 + 0.2 * random.nextDouble());
        };
    double weight =
        switch (random.nextInt(50)) {
          case 0 -> Double.NaN;
          case 1 -> 0;
          case 2 -> 1e300;
          default -> random.nextInt(1, 64);
        };
    return new SignalReport(
        level.counter(),
        level.key(),
        setpoint,
        random.nextInt(reporters) * 123_456_789_012L % (1L << 53),
        value,
        weight,
        9_007_199_254_740_991L);
  }

  /** Mostly a fraction of a second; sometimes long enough for reports and levels to fade. */
  private long pause() {
    return switch (random.nextInt(200)) {
      case 0 -> random.nextLong(20_000_000);
      case 1 -> 0;
      default -> random.nextLong(400_000);
    };
  }
}
