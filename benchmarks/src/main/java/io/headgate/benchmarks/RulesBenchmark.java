package io.headgate.benchmarks;

import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
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

/** A whole check, through few rules and through many, of which one applies. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RulesBenchmark {
  private static final int SUBJECTS = 1 << 10;

  @Param Patterns patterns = Patterns.EXACT;

  @Param({"1", "100", "10000"})
  int rules = 1;

  private RateLimiter limiter;
  private final Subject[] subjects = new Subject[SUBJECTS];
  private int at;

  @Setup
  public void setUp() {
    limiter = RateLimiter.inMemory(patterns.rules(rules));
    for (int i = 0; i < SUBJECTS; i++) {
      subjects[i] = patterns.subject((int) ((long) i * rules / SUBJECTS));
      int limits = limiter.decide(Request.of(subjects[i])).limits().size();
      if (limits != 1) {
        throw new IllegalStateException("%s has %d limits".formatted(subjects[i], limits));
      }
    }
  }

  @TearDown
  public void tearDown() {
    limiter.close();
  }

  @Benchmark
  public boolean check() {
    at = at + 1 & SUBJECTS - 1;
    return limiter.check(subjects[at]).isAllowed();
  }
}
