package io.headgate.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The machine of the measurements.
 *
 * @param load the load average of the last minute; negative if unknown
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

  /** Returns the load before the build if the caller passes it, since the build adds load. */
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
        "The machine was busy at the start (load average %.2f): times are too high and ratios"
            + " uncertain.",
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
