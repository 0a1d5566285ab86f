package io.headgate.benchmarks;

import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.headgate.limit.Outcome.Passed;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
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

/** Measures checks of one key by all threads. Each limiter returns whether the request passes. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HotKeyBenchmark {
  @Param({"GENEROUS", "EXHAUSTED"})
  Quota quota = Quota.GENEROUS;

  @Param({"SYSTEM", "COARSE"})
  Clock clock = Clock.SYSTEM;

  private final AtomicLong floorState = new AtomicLong();
  private CasBucket floor;
  private MemoryStore store;
  private Plan plan;
  private io.headgate.RateLimiter limiter;
  private Subject subject;
  private Bucket bucket4j;
  private com.google.common.util.concurrent.RateLimiter guava;
  private RateLimiter resilience4j;

  @Setup
  public void setUp() {
    floor = quota.floor(clock.nanos());
    floorState.set(floor.nanos().getAsLong());
    subject = Subject.of("user:42");
    var rules =
        RuleSet.of(Rule.named("per-user").match("key", "user:*").limit(quota.headgate()).build());
    plan = rules.plan(Request.of(subject), 0, 0);
    store = MemoryStore.create(clock.ticker(), MemoryStore.DEFAULT_MAX_KEYS);
    limiter = io.headgate.RateLimiter.with(store, rules, clock.ticker());
    bucket4j = quota.bucket4j(clock.meter());
    guava = quota.guava();
    resilience4j = RateLimiter.of("user:42", quota.resilience4j());
    if (quota == Quota.EXHAUSTED) exhaust();
  }

  private void exhaust() {
    boolean first = floor() && headgateStore() && bucket4j() && guava() && resilience4j();
    boolean second =
        floor() || headgateStore() || headgateCheck() || bucket4j() || guava() || resilience4j();
    if (!first || second) throw new IllegalStateException("a limit of 1 let 0 or 2 pass");
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
  public boolean headgateStore() {
    return store.decide(plan).outcomes().getFirst() instanceof Passed;
  }

  @Benchmark
  public boolean headgateCheck() {
    return limiter.check(subject).isAllowed();
  }

  @Benchmark
  public boolean bucket4j() {
    return bucket4j.tryConsume(1);
  }

  @Benchmark
  public boolean guava() {
    return guava.tryAcquire();
  }

  @Benchmark
  public boolean resilience4j() {
    return resilience4j.acquirePermission();
  }
}
