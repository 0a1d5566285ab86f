package io.headgate.benchmarks;

import io.headgate.RateLimiter;
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

/** Measures a complete check with few and with many rules, of which one applies. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RulesBenchmark {
  @Param Patterns patterns = Patterns.EXACT;

  @Param({"10", "100", "10000"})
  int rules = 10;

  /** How many of the rules are used, in turn. */
  @Param({"10", "1000"})
  int asked = 10;

  private RateLimiter limiter;
  private Subject[] subjects = {};
  private int at;

  @Setup
  public void setUp() {
    limiter = RateLimiter.inMemory(patterns.rules(rules));
    subjects = new Subject[asked];
    for (int i = 0; i < asked; i++) {
      subjects[i] = patterns.subject(i * rules / asked);
      int limits = limiter.checkForResult(subjects[i]).limits().size();
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
    if (++at >= subjects.length) at = 0;
    return limiter.check(subjects[at]).isAllowed();
  }
}
