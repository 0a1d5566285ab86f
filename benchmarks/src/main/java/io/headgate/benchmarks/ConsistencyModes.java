package io.headgate.benchmarks;

/** Reports {@link ConsistencyBenchmark}. */
final class ConsistencyModes {
  private ConsistencyModes() {}

  static String report(BenchmarkContext lab) {
    var table = new Table("", "1 thread", "2 threads");
    for (var way : ConsistencyBenchmark.Way.values()) {
      var call = Jmh.Call.of(ConsistencyBenchmark.class, "check").with("way", way);
      table.row(
          way.title,
          lab.jmh().measure(call).toString(),
          lab.jmh().measure(call.threads(2)).toString());
    }
    return """
    **A check of one hot key**, from a subject to a decision, again and again without a pause. Token bucket, all
    pass. Nanoseconds as each thread sees them, medians of turns:

    %s\
    """
        .formatted(table);
  }
}
