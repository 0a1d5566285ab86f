package io.headgate.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs the commands of a page in a shell at the repository's root, against the service that the
 * page starts or, if it starts none, one with the example rules.
 */
final class Console implements AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)");
  private static final Pattern ANYTHING = Pattern.compile(".*", Pattern.DOTALL);
  private static final long TIMEOUT_SECONDS = 60;

  private final Path folder;
  private final ShownRedis redis = new ShownRedis();
  private @Nullable Process service;
  private String port = "";

  Console(Path folder) {
    this.folder = folder;
  }

  /**
   * Runs a command and returns its output of both streams, with the port that the page shows.
   *
   * @param expected the output after which the method returns for a service, which keeps running
   */
  String run(String command, Pattern expected) throws IOException, InterruptedException {
    if (command.startsWith("./headgate serve") && !command.contains("--help")) {
      return serve(command, expected);
    }
    if (service == null
        && (command.startsWith("curl")
            || command.matches("./headgate (check|explain|rules (?!lint|example)).*"))) {
      serve("./headgate serve", ANYTHING);
    }
    var output = folder.resolve("output");
    var process = start(command.replace("127.0.0.1:8080", "127.0.0.1:" + port), output);
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      end(process);
      throw new AssertionError("still running: " + command);
    }
    return normalized(output);
  }

  private String serve(String command, Pattern expected) throws IOException, InterruptedException {
    endService();
    var output = folder.resolve("service");
    Files.deleteIfExists(output);
    service = start("exec " + command + " --port 0", output);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    String printed = "";
    while (System.nanoTime() < deadline && service.isAlive()) {
      var listening = LISTENING.matcher(Files.readString(output));
      if (listening.find()) {
        port = listening.group(1);
        printed = normalized(output);
        if (expected.matcher(printed.strip()).matches()) return printed;
      }
      service.waitFor(50, TimeUnit.MILLISECONDS);
    }
    if (printed.isEmpty()) {
      throw new AssertionError("the service did not start: " + Files.readString(output));
    }
    return printed;
  }

  private Process start(String command, Path output) throws IOException {
    var builder =
        new ProcessBuilder("bash", "-c", redis.in(command))
            .directory(Markdown.ROOT.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("HEADGATE_URL", "http://127.0.0.1:" + port);
    builder.environment().put("NO_COLOR", "1");
    builder.environment().put("HEADGATE_LOG_FORMAT", "text"); // as on a terminal
    builder.environment().put("HEADGATE_WARM_UP", "0s"); // no example depends on speed
    builder.environment().put("HEADGATE_DATA", data());
    // A service with five requests ends before an optimizing compiler pays off.
    builder.environment().put("HEADGATE_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    return builder.start();
  }

  /** Returns a directory that replaces the default one of the pages, which may be in use. */
  private String data() {
    return folder.resolve("headgate-data").toString();
  }

  private String normalized(Path output) throws IOException {
    String text = Files.readString(output, StandardCharsets.UTF_8);
    text = redis.shown(text).replace(data(), "./headgate-data");
    return port.isEmpty() ? text : text.replace("127.0.0.1:" + port, "127.0.0.1:8080");
  }

  @Override
  public void close() {
    endService();
    redis.close();
  }

  private void endService() {
    if (service != null) end(service);
    service = null;
  }

  private static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroy);
    process.destroy();
    process.onExit().completeOnTimeout(process, 20, TimeUnit.SECONDS).join();
    process.destroyForcibly();
  }
}
