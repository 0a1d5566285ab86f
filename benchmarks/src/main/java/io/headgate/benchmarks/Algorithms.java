package io.headgate.benchmarks;

/** Reports {@link AlgorithmBenchmark}. */
final class Algorithms {
  private Algorithms() {}

  static String report(BenchmarkContext context) {
    var table = new Table("", "store", "", "`check`", "");
    var floor = measure(context, "floor", BenchmarkedLimit.TOKEN_BUCKET);
    table.row("baseline: one compare-and-set", floor.toString(), floor.times(floor), "", "");
    for (var algorithm : BenchmarkedLimit.values()) {
      var check = measure(context, "check", algorithm);
      if (algorithm == BenchmarkedLimit.CONCURRENCY) { // each request has its own plan
        table.row(algorithm.title, "", "", check.toString(), check.times(floor));
        continue;
      }
      var store = measure(context, "store", algorithm);
      table.row(
          algorithm.title,
          store.toString(),
          store.times(floor),
          check.toString(),
          check.times(floor));
    }
    return """
    One hot counter, one thread, every request passes. The clock is a number that advances by 10 µs per
    request, so it costs nothing and every window contains 100 requests. Nanoseconds per request. The
    tenants of a bucket that is shared fairly take turns.

    %s\
    """
        .formatted(table);
  }

  private static Measurement measure(
      BenchmarkContext context, String method, BenchmarkedLimit algorithm) {
    return context
        .jmh()
        .measure(Jmh.Call.of(AlgorithmBenchmark.class, method).with("algorithm", algorithm));
  }
}
