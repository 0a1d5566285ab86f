package io.headgate.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Runs the measurements and writes the report; {@code benchmarks/run} builds and starts it. */
public final class BenchmarkRunner {
  private static final int SOMETHING_FAILED = 1;

  private final BenchmarkContext context;
  private final Machine machine;
  private final List<String> failures = new ArrayList<>();

  private BenchmarkRunner(BenchmarkContext context, Machine machine) {
    this.context = context;
    this.machine = machine;
  }

  /** Runs sections; the arguments are the repository's root, effort, report file and sections. */
  public static void main(String[] args) throws IOException {
    var root = Path.of(args[0]);
    var effort = Effort.valueOf(args[1].toUpperCase(Locale.ROOT));
    var report = Path.of(args[2]);
    var sections = Arrays.stream(args).skip(3).map(Section::labelled).toList();
    var raw = Files.createDirectories(root.resolve("benchmarks/results/raw"));
    var progress = new ProgressLog();
    var machine = Machine.here();
    if (machine.isBusy()) progress.log("warning: " + machine.warning());
    var context = new BenchmarkContext(root, effort, progress, new Jmh(effort, progress, raw));
    var main = new BenchmarkRunner(context, machine);
    Files.writeString(report, main.report(sections));
    progress.log("done");
    System.exit(main.failures.isEmpty() ? 0 : SOMETHING_FAILED);
  }

  private String report(List<Section> sections) {
    var text = new StringBuilder(head());
    for (var section : sections) {
      context.progress().log(section.label());
      text.append("\n### ").append(section.title).append("\n\n").append(body(section));
    }
    return text.toString();
  }

  private String head() {
    var effort = context.effort();
    return """
    %s, `%s`: %s

    Figures are medians ± half the range of %d turns (in-process: of %d ms each, in %s, after %d ms of warm-up).
    """
        .formatted(
            LocalDate.now(ZoneOffset.UTC),
            "./benchmarks/run --" + effort.name().toLowerCase(Locale.ROOT),
            machine,
            effort.forks * effort.iterations,
            effort.millis,
            effort.forks == 1 ? "one JVM" : effort.forks + " JVMs",
            effort.warmUps * effort.warmUpMillis);
  }

  /** Returns the report of a section; a failure does not affect the other sections. */
  private String body(Section section) {
    try {
      return section.report(context);
    } catch (Exception e) {
      if (e instanceof InterruptedException) Thread.currentThread().interrupt();
      context.progress().log("  failed: " + e);
      failures.add(section.label());
      return "Not measured: %s\n".formatted(String.valueOf(e.getMessage()));
    } finally {
      context.jmh().writeRaw(section.label());
    }
  }
}
