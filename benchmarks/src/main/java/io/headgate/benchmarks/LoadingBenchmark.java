package io.headgate.benchmarks;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Measures reading a rule file and compiling it into a rule set. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class LoadingBenchmark {
  @Param("10000")
  int rules = 10_000;

  private List<Rule> list = List.of();
  private String text = "";

  @Setup
  public void setUp() {
    list = Patterns.MIXED.rules(rules);
    text = RuleFile.yaml(list);
  }

  @Benchmark
  public List<Rule> read() {
    return RuleFile.read(text);
  }

  @Benchmark
  public RuleSet compile() {
    return RuleSet.of(list);
  }
}
