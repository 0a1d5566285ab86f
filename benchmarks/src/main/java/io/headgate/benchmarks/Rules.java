package io.headgate.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** Reports {@link RulesBenchmark}. */
final class Rules {
  private record Set(int rules, int asked) {}

  private static final List<Set> SETS =
      List.of(new Set(10, 10), new Set(100, 10), new Set(10_000, 10), new Set(10_000, 1_000));

  private Rules() {}

  static String report(BenchmarkContext context) {
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
        cells.add(context.jmh().measure(call).toString());
      }
      table.row(cells);
    }
    return """
    A complete `check`, including the clock, in one thread. Exactly one rule, a token bucket, applies to each
    subject, which has one attribute, or two in the last row. Nanoseconds per check. In the first three
    columns 10 subjects of 10 rules take turns, so the columns differ only by the cost of finding a rule
    among more. In the last column 1,000 subjects of 1,000 rules take turns, whose rules, limits and states
    exceed the CPU's caches.

    %s\
    """
        .formatted(table);
  }
}
