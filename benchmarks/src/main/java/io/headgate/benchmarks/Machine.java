package io.headgate.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * What the figures were measured on.
 *
 * @param load how many processes wanted a CPU in the last minute; negative if nobody knows
 */
record Machine(String cpu, int cores, String system, String java, double load) {
  private static final Path CPUS = Path.of("/proc/cpuinfo");
  private static final double QUIET = 1;

  static Machine here() throws IOException {
    return new Machine(
        cpuModel(),
        Runtime.getRuntime().availableProcessors(),
        "%s %s".formatted(System.getProperty("os.name"), System.getProperty("os.version")),
        "%s %s".formatted(System.getProperty("java.vm.name"), Runtime.version()),
        loadAverage());
  }

  /** As it was before the build, if the caller says; the build is no load that will stay. */
  private static double loadAverage() {
    String said = System.getProperty("headgate.load", "unknown");
    return said.equals("unknown")
        ? ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()
        : Double.parseDouble(said);
  }

  private static String cpuModel() throws IOException {
    String unknown = System.getProperty("os.arch");
    if (!Files.isReadable(CPUS)) return unknown;
    try (var lines = Files.lines(CPUS)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(unknown);
    }
  }

  boolean isBusy() {
    return load > QUIET;
  }

  String warning() {
    return String.format(
        Locale.ROOT,
        "The machine was busy when this began (load average %.2f): figures will be too high, and"
            + " ratios uncertain.",
        load);
  }

  @Override
  public String toString() {
    var text =
        String.format(
            Locale.ROOT,
            "%s, %d cores · %s · %s · load average at the start %s",
            cpu,
            cores,
            system,
            java,
            load < 0 ? "unknown" : String.format(Locale.ROOT, "%.2f", load));
    return isBusy() ? text + "\n\n**" + warning() + "**" : text;
  }
}
