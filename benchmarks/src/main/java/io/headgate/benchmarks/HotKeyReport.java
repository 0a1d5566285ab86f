package io.headgate.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** Reports {@link HotKeyBenchmark}. */
final class HotKeyReport {
  private HotKeyReport() {}

  static String report(BenchmarkContext context) {
    return """
    All threads check the same key. Nanoseconds per request and thread, and the ratio to the baseline of
    the same column. *Store* is the algorithm and its state, with a prepared plan; `check` is the complete
    path from a subject to a decision.

    With each library's own clock (for the baseline and Headgate, `System.nanoTime`):

    %s
    With a coarse clock, which costs one memory read, for the limiters that support one:

    %s\
    """
        .formatted(table(context, Clock.SYSTEM), table(context, Clock.COARSE));
  }

  private record Column(Quota quota, int threads) {}

  private static Table table(BenchmarkContext context, Clock clock) {
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
    var baselines = new ArrayList<Measurement>();
    for (var limiter : ComparedLimiter.values()) {
      if (clock != Clock.SYSTEM && !limiter.takesClock) continue;
      var cells = new ArrayList<String>();
      cells.add(limiter.title);
      for (int i = 0; i < columns.size(); i++) {
        var measured = context.jmh().measure(call(limiter, clock, columns.get(i)));
        if (limiter == ComparedLimiter.FLOOR) baselines.add(measured);
        cells.add(measured.toString());
        cells.add(measured.times(baselines.get(i)));
      }
      table.row(cells);
    }
    return table;
  }

  private static Jmh.Call call(ComparedLimiter limiter, Clock clock, Column column) {
    return Jmh.Call.of(HotKeyBenchmark.class, limiter.method)
        .with("quota", column.quota())
        .with("clock", clock)
        .threads(column.threads());
  }
}
