package io.headgate.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** Reports {@link RulesBenchmark}. */
final class Rules {
  private record Set(int rules, int asked) {}

  private static final List<Set> SETS =
      List.of(new Set(10, 10), new Set(100, 10), new Set(10_000, 10), new Set(10_000, 1_000));

  private Rules() {}

  static String report(BenchmarkContext lab) {
    var table =
        new Table("", "10 rules", "100 rules", "10,000 rules", "10,000 rules, 1,000 in use");
    for (var patterns : Patterns.values()) {
      var cells = new ArrayList<String>();
      cells.add(patterns.title);
      for (var set : SETS) {
        var call =
            Jmh.Call.of(RulesBenchmark.class, "check")
                .with("patterns", patterns)
                .with("rules", set.rules())
                .with("asked", set.asked());
        cells.add(lab.jmh().measure(call).toString());
      }
      table.row(cells);
    }
    return """
    A whole `check`, clock included, one thread. Exactly one rule, a token bucket, applies to each
    subject, which has one attribute, in the last row two. Nanoseconds a check. In the first three
    columns 10 subjects of 10 rules ask in turn, so that they differ by what it takes to find a rule
    among more. In the last one 1,000 subjects of 1,000 rules do, which fetches the rules, limits and
    states of all of them from beyond the CPU's caches again and again.

    %s\
    """
        .formatted(table);
  }
}
