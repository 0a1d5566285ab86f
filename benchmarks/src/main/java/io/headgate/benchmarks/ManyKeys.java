package io.headgate.benchmarks;

/** Reports {@link ManyKeysBenchmark}. */
final class ManyKeys {
  private ManyKeys() {}

  static String report(BenchmarkContext lab) {
    var table = new Table("", "1 thread", "", "2 threads", "");
    Measurement[] floors = {};
    for (var contender : ComparedLimiter.values()) {
      var one = measure(lab, contender, 1);
      var two = measure(lab, contender, 2);
      if (contender == ComparedLimiter.FLOOR) floors = new Measurement[] {one, two};
      table.row(
          contender.title,
          one.toString(),
          one.times(floors[0]),
          two.toString(),
          two.times(floors[1]));
    }
    return """
    1,000,000 keys, asked for by Zipf's law (exponent 1); every request passes. The libraries and the
    floor keep an object for each key in a `ConcurrentHashMap`; Headgate keeps them in its store.
    For *store* the plans were made beforehand, for `check` also the subject is made anew each time.
    Nanoseconds a request, and how often the floor of the same column goes into that.

    %s\
    """
        .formatted(table);
  }

  private static Measurement measure(BenchmarkContext lab, ComparedLimiter contender, int threads) {
    return lab.jmh()
        .measure(
            Jmh.Call.of(ManyKeysBenchmark.class, contender.method).threads(threads).heap("4g"));
  }
}
