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
 * Writes down how it went, as a table between two marks of a document, when asked to by the system
 * property {@code headgate.reliability.record}: the path of that document.
 */
final class Chronicle {
  private static final String HEAD =
      """

      | trouble | before | during | after | by policy during | failed at Redis | breaker opened | errors | admitted ≤ bound | charged, not told | lasted | back after |
      |---|---|---|---|---|---|---|---|---|---|---|---|
      """;

  private final String topology;
  private final Optional<Path> document =
      Optional.ofNullable(System.getProperty("headgate.reliability.record")).map(Path::of);
  private final List<String> rows = new ArrayList<>();
  private final double loadAtStart =
      ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  private String redis = "Redis";

  Chronicle(String topology) {
    this.topology = topology;
  }

  /** A record is of longer phases than a test, so that there is something to see. */
  long decisionsPerPhase() {
    return document.isPresent() ? 4_000 : 800;
  }

  void note(Course course) {
    redis = course.site().version();
    var during = course.during();
    rows.add(
        "| %s | %s | %s | %s | %d of %d | %d | %d | %d | %d ≤ %d | %s | %s | %s |"
            .formatted(
                course.trouble().name(),
                course.before().latency(),
                during.latency(),
                course.after().latency(),
                during.decisions(Source.FALLBACK),
                during.decisions(),
                course.strain().failures(),
                course.strain().openings(),
                course.errors().size(),
                course.admitted(OutageRules.SCARCE),
                course.scarceBound(),
                unheard(course),
                seconds(course.troubleMillis()),
                seconds(course.backMillis())));
  }

  private static String unheard(Course course) {
    return course.trouble().memory() == Trouble.Memory.LOST
        ? "all forgotten"
        : Long.toString(course.unheard());
  }

  /** Figures say little without the machine they were taken on, and how busy it was. */
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
    var facts = Path.of("/proc/cpuinfo");
    if (!Files.isReadable(facts)) return "";
    return Files.readAllLines(facts).stream()
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
      throw new IOException("%s lacks the marks %s and %s".formatted(path, begin, end));
    }
    var table = machine() + HEAD + String.join("\n", rows) + "\n";
    Files.writeString(path, text.substring(0, from) + begin + table + text.substring(to));
  }
}
