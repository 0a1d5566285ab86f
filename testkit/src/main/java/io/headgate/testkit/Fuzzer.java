package io.headgate.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Runs a fuzz target under Jazzer, guided by coverage, in a child process with the class path of
 * this one.
 *
 * <p>A target is a public class with a method {@code public static void fuzzerTestOneInput(byte[])}
 * that throws if its oracle fails. Its name ends in {@code FuzzTarget}: {@code AccessLogFuzzTarget}
 * is the target {@code access-log}. Its seeds are the files in {@code src/test/fuzz/access-log} of
 * its module, and {@code src/test/fuzz/access-log.dict} may hold a dictionary of libFuzzer.
 */
public final class Fuzzer {
  private static final String SUFFIX = "FuzzTarget";
  private static final String METHOD = "fuzzerTestOneInput";
  private static final Duration START_AND_STOP = Duration.ofSeconds(90);
  private static final int BRIEF_INPUTS = 4_000;
  private static final Duration MAX_BRIEF_RUN = Duration.ofSeconds(20);
  private static final int MAX_INPUT_BYTES = 8_192;
  private static final int SECONDS_PER_INPUT = 10;

  /**
   * A brief run shares the processor with other tests. Its first inputs load and instrument the
   * classes of the parsers, which took 10 s on a starved machine.
   */
  private static final int SECONDS_PER_INPUT_OF_A_BRIEF_RUN = 60;

  private static final int MAX_PRINTED_BYTES = 2_000;

  /** The packages whose branch coverage guides the search: this project and its parsers. */
  private static final String INSTRUMENTED =
      "io.headgate.**:org.snakeyaml.**:com.fasterxml.jackson.core.**";

  /**
   * Jazzer's detectors of injections into SQL, LDAP and others. Loading them takes a third of the
   * start-up time, so brief runs disable them.
   */
  private static final List<String> SANITIZERS =
      List.of(
          "BigDecimal",
          "ClojureLangHooks",
          "Deserialization",
          "ExpressionLanguageInjection",
          "FilePathTraversal",
          "LdapInjection",
          "NamingContextLookup",
          "OsCommandInjection",
          "ReflectiveCall",
          "RegexInjection",
          "RegexRoadblocks",
          "ScriptEngineInjection",
          "ServerSideRequestForgery",
          "SqlInjection",
          "TemplateInjection",
          "UnsafeSanitizer",
          "XPathInjection",
          "XmlParserSsrfGuidance");

  /**
   * The guidance of brief runs: all but the compared values. For these Jazzer adds 4,834 hooks, and
   * looks through all of them for each method that it instruments. That takes more than half of the
   * CPU time of a brief run, whose inputs reach 99% as many branches without it.
   */
  private static final String BRIEF_GUIDANCE = "cov:div:gep:indir:native";

  private static final Pattern PROGRESS =
      Pattern.compile("#(\\d+)\\s+\\S+\\s+cov: (\\d+) ft: \\d+ corp: (\\d+)/.*");
  private static final Pattern EXECUTED =
      Pattern.compile("stat::number_of_executed_units:\\s*(\\d+)");

  /**
   * An input that the target's oracle rejects.
   *
   * @param file holds the input
   * @param report the exception with its stack trace
   */
  public record Finding(Path file, String report) {}

  /**
   * The end of a run.
   *
   * @param inputs the number of inputs that the target read
   */
  public record Result(long inputs, Optional<Finding> finding) {}

  private final Class<?> target;
  private final Path module;
  private final Path work;
  private final List<String> report = new ArrayList<>();
  private volatile String progress = "starting";
  private long inputs;

  /**
   * @param module the directory of the target's module
   * @param work the directory for the corpus, the findings and Jazzer's log
   */
  private Fuzzer(Class<?> target, Path module, Path work) {
    this.target = target;
    this.module = module.toAbsolutePath();
    this.work = work.toAbsolutePath();
  }

  /** Returns the name of a target: {@code access-log} for {@code AccessLogFuzzTarget}. */
  static String name(Class<?> target) {
    String name = target.getSimpleName();
    if (!name.endsWith(SUFFIX)) {
      throw new IllegalArgumentException(name + " does not end in " + SUFFIX);
    }
    return name.substring(0, name.length() - SUFFIX.length())
        .replaceAll("(?<=[a-z])(?=[A-Z])", "-")
        .toLowerCase(Locale.ROOT);
  }

  /**
   * Runs a target of the module in the current directory, as part of its tests: {@value
   * #BRIEF_INPUTS} inputs from the seeds on, with a fixed seed of the mutator. Where Jazzer has no
   * native library for the platform, the target reads the seeds only.
   *
   * @throws AssertionError for a finding
   */
  public static void check(Class<?> target) {
    var module = Path.of("");
    try {
      if (!isSupported()) {
        checkSeeds(target);
        return;
      }
      var work = Files.createDirectories(module.resolve("target").resolve("fuzz"));
      var fuzzer = new Fuzzer(target, module, Files.createTempDirectory(work, name(target)));
      var result = fuzzer.run(MAX_BRIEF_RUN, true, line -> {});
      if (result.finding().isPresent()) {
        throw new AssertionError(fuzzer.describe(result.finding().get()));
      }
      if (result.inputs() < files(seeds(module, target)).size()) {
        throw new AssertionError("%s read %d inputs".formatted(target, result.inputs()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Runs a target of the module in the current directory on its seeds, in this process.
   *
   * @throws AssertionError for a finding
   */
  public static void checkSeeds(Class<?> target) {
    try {
      for (var seed : files(seeds(Path.of(""), target))) replay(target, seed);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether Jazzer has a native library for this platform. */
  private static boolean isSupported() {
    String arch = System.getProperty("os.arch");
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    boolean linuxOrMac = os.contains("linux") || os.contains("mac");
    boolean isX64 = arch.equals("amd64") || arch.equals("x86_64");
    return (isX64 && (linuxOrMac || os.contains("windows")))
        || (arch.equals("aarch64") && linuxOrMac);
  }

  /**
   * Runs a target for {@code ./fuzz}, or replays an input. The exit status is 1 for a finding, 2 if
   * Jazzer fails.
   *
   * <p>{@code run CLASS MODULE WORK SECONDS line|lines} or {@code replay CLASS FILE}
   */
  public static void main(String[] args) throws Exception {
    var target = Class.forName(args[1]);
    if (args[0].equals("replay")) {
      replay(target, Path.of(args[2]));
      System.out.printf("fuzz: %s: no finding for %s%n", name(target), args[2]);
      return;
    }
    var fuzzer = new Fuzzer(target, Path.of(args[2]), Path.of(args[3]));
    try {
      System.exit(fuzzer.runAndPrint(Long.parseLong(args[4]), args[5].equals("line")) ? 0 : 1);
    } catch (IllegalStateException e) {
      System.err.println("fuzz: " + e.getMessage());
      System.exit(2);
    }
  }

  /** Returns whether there is no finding. */
  private boolean runAndPrint(long seconds, boolean isTerminal) throws IOException {
    var result = run(Duration.ofSeconds(seconds), false, new ProgressLine(isTerminal)::show);
    var finding = result.finding();
    System.out.printf(
        "%-16s %,d inputs, %s%n",
        name(target), result.inputs(), finding.isPresent() ? "a FINDING" : "no finding");
    finding.ifPresent(found -> System.out.println(describe(found)));
    return finding.isEmpty();
  }

  private static void replay(Class<?> target, Path input) throws IOException {
    try {
      target.getMethod(METHOD, byte[].class).invoke(null, (Object) Files.readAllBytes(input));
    } catch (InvocationTargetException e) {
      throw new AssertionError(name(target) + " fails on " + input, e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(target + " is no fuzz target", e);
    }
  }

  /** Shows the state of a run once a second on a terminal, every 30 seconds elsewhere. */
  private static final class ProgressLine {
    private final boolean isTerminal;
    private int calls;

    ProgressLine(boolean isTerminal) {
      this.isTerminal = isTerminal;
    }

    void show(String line) {
      if (isTerminal) System.err.print("\r\u001b[K" + line);
      else if (!line.isEmpty() && ++calls % 30 == 0) System.err.println(line);
      System.err.flush();
    }
  }

  private interface Display {
    /** Shows a line once a second, and an empty one at the end. */
    void show(String line);
  }

  private Result run(Duration time, boolean brief, Display display) throws IOException {
    var findings = Files.createDirectories(work.resolve("findings"));
    var before = files(findings);
    var corpus = Files.createDirectories(work.resolve("corpus"));
    var builder = new ProcessBuilder(command(time, brief, findings, corpus));
    var process = builder.directory(work.toFile()).redirectErrorStream(true).start();
    try {
      var reader = Thread.ofVirtual().start(() -> read(process));
      long start = System.nanoTime();
      while (!process.waitFor(1, TimeUnit.SECONDS)) {
        var elapsed = Duration.ofNanos(System.nanoTime() - start);
        if (elapsed.compareTo(time.plus(START_AND_STOP)) > 0) {
          throw new IllegalStateException("Jazzer does not end; its output is in " + log());
        }
        display.show(
            "%-16s %d of %d s, %s"
                .formatted(name(target), elapsed.toSeconds(), time.toSeconds(), progress));
      }
      reader.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } finally {
      process.destroyForcibly();
      display.show("");
    }
    var found = new ArrayList<>(files(findings));
    found.removeAll(before);
    if (found.isEmpty() && process.exitValue() != 0) {
      throw new IllegalStateException(
          "Jazzer failed with status %d; its output is in %s"
              .formatted(process.exitValue(), log()));
    }
    return new Result(
        inputs, found.stream().findFirst().map(file -> new Finding(file, reported())));
  }

  private List<String> command(Duration time, boolean brief, Path findings, Path corpus)
      throws IOException {
    String tests = System.getProperty("surefire.test.class.path");
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (brief) command.add("-XX:TieredStopAtLevel=1");
    command.addAll(
        List.of(
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:+EnableDynamicAgentLoading",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            tests == null ? System.getProperty("java.class.path") : tests,
            "com.code_intelligence.jazzer.Jazzer",
            "--target_class=" + target.getName(),
            "--instrumentation_includes=" + INSTRUMENTED,
            "--custom_hook_includes=" + INSTRUMENTED,
            "--reproducer_path=" + work));
    if (brief) {
      command.add(
          "--disabled_hooks=com.code_intelligence.jazzer.sanitizers."
              + String.join(":com.code_intelligence.jazzer.sanitizers.", SANITIZERS));
      command.add("--trace=" + BRIEF_GUIDANCE);
      command.add("-seed=1");
      command.add("-runs=" + BRIEF_INPUTS);
    }
    int seconds = brief ? SECONDS_PER_INPUT_OF_A_BRIEF_RUN : SECONDS_PER_INPUT;
    command.addAll(
        List.of(
            "-artifact_prefix=" + findings + "/",
            "-max_total_time=" + time.toSeconds(),
            "-max_len=" + MAX_INPUT_BYTES,
            "-timeout=" + seconds,
            "-report_slow_units=" + seconds, // a slow input leaves a file, as a finding does
            "-rss_limit_mb=0", // the heap is bounded
            "-print_final_stats=1"));
    var dictionary = module.resolve("src/test/fuzz").resolve(name(target) + ".dict");
    if (Files.exists(dictionary)) command.add("-dict=" + dictionary);
    command.add(corpus.toString());
    var seeds = seeds(module, target);
    if (files(seeds).isEmpty()) throw new IllegalStateException("there are no seeds in " + seeds);
    command.add(seeds.toString());
    return command;
  }

  private void read(Process process) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        var log = Files.newBufferedWriter(log())) {
      boolean reporting = false;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        log.write(line);
        log.newLine();
        var state = PROGRESS.matcher(line);
        if (state.matches()) {
          inputs = Long.parseLong(state.group(1));
          progress =
              "%,d inputs, %s branches, %s inputs kept"
                  .formatted(inputs, state.group(2), state.group(3));
        }
        var executed = EXECUTED.matcher(line);
        if (executed.matches()) inputs = Long.parseLong(executed.group(1));
        if (line.startsWith("== Java Exception") || line.contains("ERROR: libFuzzer")) {
          reporting = true;
        }
        if (line.startsWith("DEDUP_TOKEN") || line.startsWith("== libFuzzer")) reporting = false;
        if (reporting) report.add(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path log() {
    return work.resolve("jazzer.log");
  }

  private String reported() {
    return String.join(System.lineSeparator(), report);
  }

  private String describe(Finding finding) {
    try {
      var input = Files.readAllBytes(finding.file());
      return """
      %s
      input     %s
      of        %d bytes: %s
      replay    ./fuzz --replay %2$s %s
      keep      copy the file to %s, with a regression test that names the defect\
      """
          .formatted(
              finding.report(),
              finding.file(),
              input.length,
              escaped(input),
              name(target),
              seeds(module, target));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String escaped(byte[] input) {
    var text = new StringBuilder();
    for (int i = 0; i < Math.min(input.length, MAX_PRINTED_BYTES); i++) {
      int c = input[i] & 0xff;
      text.append(c >= ' ' && c < 0x7f ? String.valueOf((char) c) : "\\x%02x".formatted(c));
    }
    return text.append(input.length > MAX_PRINTED_BYTES ? "…" : "").toString();
  }

  private static Path seeds(Path module, Class<?> target) {
    return module.resolve("src/test/fuzz").resolve(name(target));
  }

  private static List<Path> files(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) return List.of();
    try (var files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }
}
