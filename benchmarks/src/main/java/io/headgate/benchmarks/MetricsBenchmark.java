package io.headgate.benchmarks;

import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import io.headgate.server.metrics.Metrics;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.quota.QuotaStats;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.stats.DecisionListener;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Measures the overhead of timing and counting a decision. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MetricsBenchmark {
  private static final int RULES = 16;

  private final Request[] requests = new Request[RULES];
  private RateLimiter limiter;
  private Metrics metrics;
  private DecisionListener listener = DecisionListener.NONE;
  private int at;

  @Setup
  public void setUp() {
    limiter = RateLimiter.inMemory(Patterns.EXACT.rules(RULES));
    for (int i = 0; i < RULES; i++) requests[i] = Request.of(Patterns.EXACT.subject(i));
    var repository = InMemoryRuleRepository.of(limiter.rules());
    metrics =
        new Metrics(
            limiter,
            repository,
            new StoreMetrics(),
            () -> QuotaStats.NONE,
            Set.of(),
            () -> 0,
            List::of,
            1);
    listener = metrics.listener();
  }

  @TearDown
  public void tearDown() {
    metrics.close();
    limiter.close();
  }

  private Request next() {
    if (++at >= RULES) at = 0;
    return requests[at];
  }

  @Benchmark
  public boolean decided() {
    return limiter.checkForResult(next()).isAllowed();
  }

  @Benchmark
  public long decidedAndTimed() {
    long since = System.nanoTime();
    boolean allowed = limiter.checkForResult(next()).isAllowed();
    long nanos = System.nanoTime() - since;
    return allowed ? nanos : -nanos;
  }

  @Benchmark
  public boolean decidedTimedAndCounted() {
    var request = next();
    long since = System.nanoTime();
    var result = limiter.checkForResult(request);
    listener.decided(request, result, System.nanoTime() - since);
    return result.isAllowed();
  }
}
