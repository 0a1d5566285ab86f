package io.headgate.system;

import static org.awaitility.Awaitility.await;

import io.headgate.testkit.ExitHooks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The packaged program in a process of its own, which is killed when closed, or when this JVM
 * exits.
 */
public final class HeadgateProcess implements AutoCloseable {
  private static final Path JAR =
      Path.of("..", "server", "target", "headgate.jar").toAbsolutePath();
  private static final Pattern LISTENS =
      Pattern.compile("listens on https?://127\\.0\\.0\\.1:(\\d+)");
  private static final long PATIENCE_SECONDS = 60;

  private final Process process;
  private final Path out;
  private final Path err;

  HeadgateProcess(Path folder, Map<String, String> environment, String... args) {
    this(folder, environment, cheapStart(), List.of(args));
  }

  /** Starts the program with these options of the JVM. */
  public HeadgateProcess(
      Path folder, Map<String, String> environment, List<String> jvmOptions, List<String> args) {
    try {
      var command = new ArrayList<String>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(jvmOptions);
      command.addAll(List.of("-jar", JAR.toString()));
      command.addAll(args);
      out = Files.createTempFile(folder, "out", ".txt");
      err = Files.createTempFile(folder, "err", ".txt");
      var builder = new ProcessBuilder(command).directory(folder.toFile());
      builder.redirectOutput(out.toFile()).redirectError(err.toFile());
      builder.environment().keySet().removeIf(name -> name.startsWith("HEADGATE_"));
      builder.environment().put("HEADGATE_LOG_FORMAT", "text");
      builder.environment().put("HEADGATE_WARM_UP", "0s"); // tests of the warm-up override it
      builder.environment().putAll(environment);
      process = builder.start();
      ExitHooks.closeAtExit(this);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns options of the JVM for processes that do not run for long. */
  public static List<String> cheapStart() {
    var options = new ArrayList<>(ClassArchive.JVM_OPTIONS);
    options.add("-XX:SharedArchiveFile=" + ClassArchive.of(JAR));
    // Without it the JVM may warn that it could not map its own archive, into the error output.
    options.addAll(List.of("-XX:-PrintWarnings", "-Xlog:cds*=off"));
    return options;
  }

  /** Waits until the process listens and returns its port. */
  public int port() {
    await()
        .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
        .until(() -> LISTENS.matcher(out()).find() || !process.isAlive());
    var listens = LISTENS.matcher(out());
    if (!listens.find()) throw new AssertionError("it did not start: " + err());
    return Integer.parseInt(listens.group(1));
  }

  /** Returns the id of the process. */
  public long pid() {
    return process.pid();
  }

  /** Returns whether the process runs. */
  boolean isAlive() {
    return process.isAlive();
  }

  /** Sends SIGTERM, as a process manager does. */
  public void terminate() {
    process.destroy();
  }

  /** Sends SIGKILL and waits for the end of the process. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    int unused = exitCode();
  }

  public int exitCode() throws InterruptedException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("still running; output: " + out() + err());
    }
    return process.exitValue();
  }

  public String out() {
    return read(out);
  }

  public String err() {
    return read(err);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    ExitHooks.remove(this);
  }
}
