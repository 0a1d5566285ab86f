package io.headgate.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** Reports {@link RulesBenchmark}. */
final class Rules {
  private Rules() {}

  static String report(Lab lab) {
    var table = new Table("", "1 rule", "100 rules", "10,000 rules");
    for (var patterns : Patterns.values()) {
      var cells = new ArrayList<String>();
      cells.add(patterns.title);
      for (int count : List.of(1, 100, 10_000)) {
        var call =
            Jmh.Call.of(RulesBenchmark.class, "check")
                .with("patterns", patterns)
                .with("rules", count);
        cells.add(lab.jmh().measure(call).toString());
      }
      table.row(cells);
    }
    return """
    A whole `check`, clock included, of 1,024 subjects in turn, one thread. Exactly one rule, a token
    bucket, applies to each. A subject has one attribute, in the last row two. Nanoseconds a check.

    %s\
    """
        .formatted(table);
  }
}
