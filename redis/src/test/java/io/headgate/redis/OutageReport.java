package io.headgate.redis;

import io.headgate.store.Source;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes the results of outage tests as a table between two markers of a document, if the system
 * property {@code headgate.reliability.record} has the path of that document.
 */
final class OutageReport {
  private static final String HEAD =
      """

      | fault | before | during | after | by policy during | failed at Redis | circuit breaker opened | errors | admitted ≤ bound | charged without decision | lasted | recovered after |
      |---|---|---|---|---|---|---|---|---|---|---|---|
      """;

  private final String topology;
  private final Optional<Path> document =
      Optional.ofNullable(System.getProperty("headgate.reliability.record")).map(Path::of);
  private final List<String> rows = new ArrayList<>();
  private final double loadAtStart =
      ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  private String redis = "Redis";

  OutageReport(String topology) {
    this.topology = topology;
  }

  /** Returns the decisions of a phase: a recorded run is longer than a test. */
  long decisionsPerPhase() {
    return document.isPresent() ? 4_000 : 400;
  }

  void add(OutageResult result) {
    redis = result.deployment().version();
    var during = result.during();
    rows.add(
        "| %s | %s | %s | %s | %d of %d | %d | %d | %d | %d ≤ %d | %s | %s | %s |"
            .formatted(
                result.fault().name(),
                result.before().latency(),
                during.latency(),
                result.after().latency(),
                during.decisions(Source.FALLBACK),
                during.decisions(),
                result.counters().failures(),
                result.counters().openings(),
                result.errors().size(),
                result.admitted(OutageRules.SCARCE),
                result.scarceBound(),
                unconfirmedCharges(result),
                seconds(result.faultMillis()),
                seconds(result.recoveryMillis())));
  }

  private static String unconfirmedCharges(OutageResult result) {
    return result.fault().dataLoss() == Fault.DataLoss.ALL
        ? "all lost"
        : Long.toString(result.unconfirmedCharges());
  }

  /** Describes the machine and its load. */
  private String machine() throws IOException {
    var system = ManagementFactory.getOperatingSystemMXBean();
    return "%s on %s, %d CPUs%s, load %.1f at the start and %.1f at the end; Java %s.%n"
        .formatted(
            redis,
            system.getName(),
            system.getAvailableProcessors(),
            cpu(),
            loadAtStart,
            system.getSystemLoadAverage(),
            Runtime.version().feature());
  }

  private static String cpu() throws IOException {
    var cpuInfo = Path.of("/proc/cpuinfo");
    if (!Files.isReadable(cpuInfo)) return "";
    return Files.readAllLines(cpuInfo).stream()
        .filter(line -> line.startsWith("model name"))
        .findFirst()
        .map(line -> " (" + line.substring(line.indexOf(':') + 1).strip() + ")")
        .orElse("");
  }

  private static String seconds(long millis) {
    return "%.1f s".formatted(millis / 1_000.0);
  }

  void write() throws IOException {
    if (document.isEmpty()) return;
    var path = document.get();
    var begin = "<!-- " + topology + " -->\n";
    var end = "<!-- /" + topology + " -->\n";
    var text = Files.readString(path);
    int from = text.indexOf(begin);
    int to = text.indexOf(end);
    if (from < 0 || to < from) {
      throw new IOException("%s lacks the markers %s and %s".formatted(path, begin, end));
    }
    var table = machine() + HEAD + String.join("\n", rows) + "\n";
    Files.writeString(path, text.substring(0, from) + begin + table + text.substring(to));
  }
}
