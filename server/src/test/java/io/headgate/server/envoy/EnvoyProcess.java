package io.headgate.server.envoy;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.ExitHooks;
import io.headgate.testkit.ScratchDirectory;
import io.headgate.testkit.net.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A real Envoy with the configuration of the example, changed only in ports and addresses. */
final class EnvoyProcess implements AutoCloseable {
  static final Path EXAMPLES = Path.of("..", "examples", "envoy").toAbsolutePath().normalize();

  /** The timeout of the example's filter. */
  static final String TIMEOUT = "timeout: 0.02s";

  private final ScratchDirectory directory = ScratchDirectory.create("headgate-envoy-");
  private final Process process;
  private final int port;
  private final int adminPort;

  /** Returns the part to merge into the example, which has no administration interface. */
  private static String admin(int port) {
    return "admin: { address: { socket_address: { address: 127.0.0.1, port_value: %d } } }"
        .formatted(port);
  }

  private EnvoyProcess(String configuration) throws IOException {
    var ports = FreePorts.find(2);
    port = ports.getFirst();
    adminPort = ports.getLast();
    var file = directory.resolve("envoy.yaml");
    Files.writeString(
        file,
        configuration.replace("0.0.0.0, port_value: 10000", "127.0.0.1, port_value: " + port));
    process =
        new ProcessBuilder(
                binary().orElseThrow(),
                "-c",
                file.toString(),
                "--config-yaml",
                admin(adminPort),
                "--concurrency",
                "1",
                "--use-dynamic-base-id",
                "--log-level",
                "warn")
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log.txt").toFile())
            .start();
    ExitHooks.closeAtExit(this);
    Eventually.holds("Envoy listens: " + log(), Duration.ofSeconds(60), this::isListening);
  }

  /** Returns the binary named by the environment; without it the tests are skipped. */
  static Optional<String> binary() {
    return Optional.ofNullable(System.getenv("HEADGATE_ENVOY")).filter(name -> !name.isBlank());
  }

  /**
   * @param change the changes of the test to the example, beyond ports
   */
  static EnvoyProcess start(
      int application, List<Integer> instances, UnaryOperator<String> change) {
    try {
      var example = Files.readString(EXAMPLES.resolve("envoy.yaml"));
      return new EnvoyProcess(
          change.apply(
              example
                  .replace("port_value: 9000", "port_value: " + application)
                  .replace("port_value: 8080", "port_value: " + instances.get(0))
                  .replace("port_value: 8081", "port_value: " + instances.get(1))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts an Envoy with the example of quotas.
   *
   * @param change the changes of the test to the example, beyond ports
   */
  static EnvoyProcess startWithQuotas(int application, int instance, UnaryOperator<String> change) {
    try {
      var example = Files.readString(EXAMPLES.resolve("rlqs.yaml"));
      return new EnvoyProcess(
          change.apply(
              example
                  .replace("port_value: 9000", "port_value: " + application)
                  .replace("port_value: 8080", "port_value: " + instance)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isListening() throws IOException {
    if (!process.isAlive()) throw new IOException("Envoy has ended: " + log());
    try (var socket = new Socket(FreePorts.loopback(), port)) {
      return socket.isConnected();
    }
  }

  /** Returns the output of Envoy's own check of an example, without any change. */
  static String validate(String example) throws IOException {
    var process =
        new ProcessBuilder(
                binary().orElseThrow(),
                "--mode",
                "validate",
                "-c",
                EXAMPLES.resolve(example).toString())
            .redirectErrorStream(true)
            .start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /** Returns a counter of the cluster of Headgate instances. */
  long counter(String name) throws IOException {
    var uri = URI.create("http://127.0.0.1:%d/stats?filter=%s".formatted(adminPort, name));
    try (var in = uri.toURL().openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith("cluster.headgate." + name + ": "))
          .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(": ") + 2)))
          .findFirst()
          .orElseThrow();
    }
  }

  int port() {
    return port;
  }

  String log() {
    try {
      return Files.readString(directory.resolve("log.txt"));
    } catch (IOException e) {
      return "no log: " + e;
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    directory.close();
    ExitHooks.remove(this);
  }
}
