package io.headgate.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** Reports {@link HotKeyBenchmark}. */
final class HotKey {
  private HotKey() {}

  static String report(BenchmarkContext lab) {
    return """
    Everybody asks for the same key. Nanoseconds a request as each thread sees them, and how often the
    floor of the same column goes into that. *Store* is the arithmetic and the state, with the rules
    already applied; `check` is the whole way from a subject to a decision.

    With each library's own clock (for the floor and Headgate, `System.nanoTime`):

    %s
    With a coarse clock, which costs one memory read, for those that take one:

    %s\
    """
        .formatted(table(lab, Clock.SYSTEM), table(lab, Clock.COARSE));
  }

  private record Column(Quota quota, int threads) {}

  private static Table table(BenchmarkContext lab, Clock clock) {
    var columns =
        List.of(
            new Column(Quota.GENEROUS, 1),
            new Column(Quota.GENEROUS, 2),
            new Column(Quota.EXHAUSTED, 1),
            new Column(Quota.EXHAUSTED, 2));
    var table =
        new Table(
            "",
            "passes, 1 thread",
            "",
            "passes, 2 threads",
            "",
            "denials, 1 thread",
            "",
            "denials, 2 threads",
            "");
    var floors = new ArrayList<Measurement>();
    for (var contender : ComparedLimiter.values()) {
      if (clock != Clock.SYSTEM && !contender.takesClock) continue;
      var cells = new ArrayList<String>();
      cells.add(contender.title);
      for (int i = 0; i < columns.size(); i++) {
        var measured = lab.jmh().measure(call(contender, clock, columns.get(i)));
        if (contender == ComparedLimiter.FLOOR) floors.add(measured);
        cells.add(measured.toString());
        cells.add(measured.times(floors.get(i)));
      }
      table.row(cells);
    }
    return table;
  }

  private static Jmh.Call call(ComparedLimiter contender, Clock clock, Column column) {
    return Jmh.Call.of(HotKeyBenchmark.class, contender.method)
        .with("quota", column.quota())
        .with("clock", clock)
        .threads(column.threads());
  }
}
