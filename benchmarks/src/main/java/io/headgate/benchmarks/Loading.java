package io.headgate.benchmarks;

/** Reports {@link LoadingBenchmark}. */
final class Loading {
  private Loading() {}

  static String report(BenchmarkContext lab) {
    var table = new Table("", "10,000 rules");
    table.row("read a YAML file", measure(lab, "read"));
    table.row("compile into a rule set", measure(lab, "compile"));
    return """
    A third each of exact keys, prefixes and CIDR blocks. Milliseconds; the file is in memory already.

    %s\
    """
        .formatted(table);
  }

  private static String measure(BenchmarkContext lab, String method) {
    return lab.jmh().measure(Jmh.Call.of(LoadingBenchmark.class, method)).toString();
  }
}
