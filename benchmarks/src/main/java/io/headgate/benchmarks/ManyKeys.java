package io.headgate.benchmarks;

/** Reports {@link ManyKeysBenchmark}. */
final class ManyKeys {
  private ManyKeys() {}

  static String report(BenchmarkContext context) {
    var table = new Table("", "1 thread", "", "2 threads", "");
    Measurement[] floors = {};
    for (var contender : ComparedLimiter.values()) {
      var one = measure(context, contender, 1);
      var two = measure(context, contender, 2);
      if (contender == ComparedLimiter.FLOOR) floors = new Measurement[] {one, two};
      table.row(
          contender.title,
          one.toString(),
          one.times(floors[0]),
          two.toString(),
          two.times(floors[1]));
    }
    return """
    1,000,000 keys with a Zipf distribution (exponent 1); every request passes. The libraries and the
    baseline have an object per key in a `ConcurrentHashMap`; Headgate has its store. For *store* the plans
    are prepared; `check` includes creating the subject. Nanoseconds per request, and the ratio to the
    baseline of the same column.

    %s\
    """
        .formatted(table);
  }

  private static Measurement measure(
      BenchmarkContext context, ComparedLimiter contender, int threads) {
    return context
        .jmh()
        .measure(
            Jmh.Call.of(ManyKeysBenchmark.class, contender.method).threads(threads).heap("4g"));
  }
}
