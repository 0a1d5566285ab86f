package io.headgate.benchmarks;

/** Reports {@link AlgorithmBenchmark}. */
final class Algorithms {
  private Algorithms() {}

  static String report(BenchmarkContext lab) {
    var table = new Table("", "store", "", "`check`", "");
    var floor = measure(lab, "floor", Algorithm.TOKEN_BUCKET);
    table.row("floor: one compare-and-set", floor.toString(), floor.times(floor), "", "");
    for (var algorithm : Algorithm.values()) {
      var check = measure(lab, "check", algorithm);
      if (algorithm == Algorithm.CONCURRENCY) { // each request has a plan of its own
        table.row(algorithm.title, "", "", check.toString(), check.times(floor));
        continue;
      }
      var store = measure(lab, "store", algorithm);
      table.row(
          algorithm.title,
          store.toString(),
          store.times(floor),
          check.toString(),
          check.times(floor));
    }
    return """
    One hot key, one thread, every request passes. The clock here is a plain number that moves on by
    10 µs for each request, so it costs nothing and every window has 100 requests in it. Nanoseconds
    a request.

    %s\
    """
        .formatted(table);
  }

  private static Measurement measure(BenchmarkContext lab, String method, Algorithm algorithm) {
    return lab.jmh()
        .measure(Jmh.Call.of(AlgorithmBenchmark.class, method).with("algorithm", algorithm));
  }
}
