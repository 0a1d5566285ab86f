package io.headgate.benchmarks;

/** Reports {@link LoadingBenchmark}. */
final class Loading {
  private Loading() {}

  static String report(BenchmarkContext context) {
    var table = new Table("", "10,000 rules");
    table.row("read a YAML file", measure(context, "read"));
    table.row("compile into a rule set", measure(context, "compile"));
    return """
    A third each of exact keys, prefixes and CIDR blocks. Milliseconds; the file is already in memory.

    %s\
    """
        .formatted(table);
  }

  private static String measure(BenchmarkContext context, String method) {
    return context.jmh().measure(Jmh.Call.of(LoadingBenchmark.class, method)).toString();
  }
}
