package io.headgate.benchmarks;

import io.headgate.RateLimiter;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
 * Measures one hot counter in one thread, with a free clock that advances by a step per request.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AlgorithmBenchmark {
  private static final int FIRST_REQUESTS = 1_000;

  @Param BenchmarkedLimit algorithm = BenchmarkedLimit.TOKEN_BUCKET;

  private final Steps steps = new Steps();
  private final AtomicLong floorState = new AtomicLong();
  private final CasBucket floor = new CasBucket(5_000, 1_000_000, () -> steps.micros() * 1_000);
  private MemoryStore store;
  private RateLimiter limiter;
  private Subject[] subjects;
  private Plan[] plans;
  private int next;

  /** The clock. The store's sweeper reads it once a second, which may skip a step harmlessly. */
  private static final class Steps implements Ticker {
    private long now = System.currentTimeMillis() * 1_000;

    @Override
    public long micros() {
      return now += BenchmarkedLimit.STEP_MICROS;
    }
  }

  @Setup
  public void setUp() {
    var rules = RuleSet.of(algorithm.rule());
    subjects = new Subject[algorithm.callers()];
    plans = new Plan[subjects.length];
    for (int i = 0; i < subjects.length; i++) {
      subjects[i] = Subject.of("user:" + i);
      plans[i] = rules.plan(Request.of(subjects[i]), 0, 0);
    }
    store = MemoryStore.create(steps, MemoryStore.DEFAULT_MAX_KEYS);
    limiter = RateLimiter.with(store, rules, steps);
    for (int i = 0; i < FIRST_REQUESTS; i++) {
      if (!check() || !floor()) throw new IllegalStateException("request " + i + " was denied");
    }
  }

  @TearDown
  public void tearDown() {
    store.close();
  }

  @Benchmark
  public boolean floor() {
    return floor.take(floorState);
  }

  @Benchmark
  public boolean check() {
    return limiter.check(subjects[turn()]).isAllowed();
  }

  /** Not for concurrency, where each request has its own slot and therefore its own plan. */
  @Benchmark
  public PlanResult store() {
    return store.decide(plans[turn()]);
  }

  private int turn() {
    if (++next >= plans.length) next = 0;
    return next;
  }
}
