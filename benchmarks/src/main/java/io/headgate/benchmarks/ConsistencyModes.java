package io.headgate.benchmarks;

/** Reports {@link ConsistencyBenchmark}. */
final class ConsistencyModes {
  private ConsistencyModes() {}

  static String report(BenchmarkContext context) {
    var table = new Table("", "1 thread", "2 threads");
    for (var mode : ConsistencyBenchmark.StoreMode.values()) {
      var call = Jmh.Call.of(ConsistencyBenchmark.class, "check").with("mode", mode);
      table.row(
          mode.title,
          context.jmh().measure(call).toString(),
          context.jmh().measure(call.threads(2)).toString());
    }
    return """
    **A check of one hot key**, from a subject to a decision, in a loop without pauses. Token bucket, all requests
    pass. Nanoseconds per check and thread, medians of turns:

    %s\
    """
        .formatted(table);
  }
}
