package io.headgate.benchmarks;

/** Reports {@link StatisticsCost}, {@link MetricsBenchmark} and {@link ReplyBenchmark}. */
final class Overhead {
  private static final int RUNS = 9;

  private Overhead() {}

  static String report(BenchmarkContext context) {
    var statistics = new Table("", "event loop", "merging thread");
    for (var callers : StatisticsCost.CallerMix.values()) {
      var cost = StatisticsCost.measure(callers, RUNS, StatisticsCost.CHECKS);
      context.progress().log("  %s: %s".formatted(callers, cost));
      statistics.row(callers.title, cost.eventLoop().toString(), cost.merging().toString());
    }
    var metrics = new Table("", "a check");
    metrics.row("decided", measure(context, MetricsBenchmark.class, "decided"));
    metrics.row("and timed", measure(context, MetricsBenchmark.class, "decidedAndTimed"));
    metrics.row("and counted", measure(context, MetricsBenchmark.class, "decidedTimedAndCounted"));
    var replies = new Table("", "a reply");
    replies.row("the service's writer", measure(context, ReplyBenchmark.class, "writer"));
    replies.row("Jackson's generator", measure(context, ReplyBenchmark.class, "generator"));
    replies.row("appended to a text", measure(context, ReplyBenchmark.class, "byHand"));
    return """
    What the service adds to a check besides HTTP. Nanoseconds per check.

    [Live statistics](../docs/watching.md), at 50,000 checks a second. CPU time, medians of %d runs of
    %,d checks:

    %s
    [Metrics](../docs/monitoring.md), 16 rules in memory:

    %s
    The JSON body of one decision, into a buffer:

    %s\
    """
        .formatted(RUNS, StatisticsCost.CHECKS, statistics, metrics, replies);
  }

  private static String measure(BenchmarkContext context, Class<?> benchmark, String method) {
    return context.jmh().measure(Jmh.Call.of(benchmark, method)).toString();
  }
}
