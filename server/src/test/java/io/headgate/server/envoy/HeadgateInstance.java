package io.headgate.server.envoy;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.ExitHooks;
import io.headgate.testkit.ScratchDirectory;
import io.headgate.testkit.net.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The service in a process of its own that can be killed, suspended and replaced. */
final class HeadgateInstance implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final ScratchDirectory directory = ScratchDirectory.create("headgate-instance-");
  private final int port;
  private final Path rules;
  private final String store;
  private final Duration deadline;
  private Process process;

  /**
   * @param deadline the gRPC deadline and the timeout of the store
   */
  HeadgateInstance(Path rules, String store, Duration deadline) {
    this.deadline = deadline;
    this.port = FreePorts.find(1).getFirst();
    this.rules = rules;
    this.store = store;
    ExitHooks.closeAtExit(this);
    this.process = start();
    waitUntilReady();
  }

  private Process start() {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-Dlogback.configurationFile=logback.xml"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("io.headgate.server.cli.Main", "serve"));
    command.addAll(List.of("--port", Integer.toString(port), "--rules", rules.toString()));
    command.addAll(List.of("--data", directory.path().toString(), "--store", store));
    command.addAll(List.of("--drain-delay", "3s", "--warm-up", "0s"));
    command.addAll(List.of("--grpc-deadline", deadline.toMillis() + "ms"));
    command.addAll(List.of("--store-timeout", deadline.toMillis() + "ms"));
    var builder = new ProcessBuilder(command).directory(directory.path().toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADGATE_"));
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("log.txt").toFile()));
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void waitUntilReady() {
    Eventually.holds("Headgate is ready: " + log(), PATIENCE, this::isReady);
  }

  private boolean isReady() throws IOException, InterruptedException {
    if (!process.isAlive()) throw new IOException("Headgate has ended: " + log());
    try (var client = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health/ready")).build();
      return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  int port() {
    return port;
  }

  /** Returns the output and the log of the process. */
  String log() {
    try {
      return Files.readString(directory.resolve("log.txt"));
    } catch (IOException e) {
      return "";
    }
  }

  /** Stops the process as a process manager does, and starts it again on the same port. */
  void replace() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("it did not stop: " + log());
    }
    restart();
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  void restart() {
    process = start();
    waitUntilReady();
  }

  void suspend() {
    signal("-STOP");
  }

  void resume() {
    signal("-CONT");
  }

  private void signal(String name) {
    try {
      new ProcessBuilder("kill", name, Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    directory.close();
    ExitHooks.remove(this);
  }
}
