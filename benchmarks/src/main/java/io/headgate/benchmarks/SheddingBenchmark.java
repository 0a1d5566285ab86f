package io.headgate.benchmarks;

import io.headgate.RateLimiter;
import io.headgate.limit.Shed;
import io.headgate.load.LoadSignal;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures a request that a rule with load shedding passes, at a level of 0 and above it. The
 * difference to {@code plain}, the same limiter without the rule, is the cost of the rule.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SheddingBenchmark {
  @Param({"0.5", "1"})
  double utilization = 0.5;

  private final Subject backend = Subject.of("backend", "checkout");
  private final Subject critical =
      Subject.of(Map.of("backend", "checkout", "priority", "critical", "user", "42"));
  private RateLimiter plain;
  private RateLimiter shedding;

  /** A clock that stands still except in the set-up, so that the level does not fade. */
  private static final class Steps implements Ticker {
    private long now = System.currentTimeMillis() * 1_000;

    @Override
    public long micros() {
      return now;
    }
  }

  @Setup
  public void setUp() {
    var clock = new Steps();
    var policy =
        ShedPolicy.of(SignalKind.UTILIZATION, 0.8)
            .withPriorities("priority", "critical", "normal", "bulk")
            .withCallers("user");
    var rule = Rule.named("shed").match("backend", "*").limit(new Shed(policy)).build();
    plain = RateLimiter.with(MemoryStore.create(clock, 1_000), RuleSet.of(), clock);
    shedding = RateLimiter.with(MemoryStore.create(clock, 1_000), RuleSet.of(rule), clock);
    for (int i = 0; i < 10; i++) {
      shedding.signals().report(backend, LoadSignal.ofUtilization(utilization));
      shedding.signals().sync().join();
      clock.now += 1_000_000;
    }
    boolean sheds = shedding.signals().levels().getFirst().level() > 0;
    if (sheds != utilization > 0.8) throw new IllegalStateException("the level is not as reported");
    if (!shedding()) throw new IllegalStateException("a critical request was dropped");
  }

  @TearDown
  public void tearDown() {
    plain.close();
    shedding.close();
  }

  @Benchmark
  public boolean plain() {
    return plain.check(critical).isAllowed();
  }

  @Benchmark
  public boolean shedding() {
    return shedding.check(critical).isAllowed();
  }
}
