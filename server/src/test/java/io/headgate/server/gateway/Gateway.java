package io.headgate.server.gateway;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.ExitHooks;
import io.headgate.testkit.ScratchDirectory;
import io.headgate.testkit.net.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * A real nginx or HAProxy with a configuration from the examples; only ports are put in, and
 * patience with a machine that has other things to do.
 */
final class Gateway implements AutoCloseable {
  private static final Path EXAMPLES = Path.of("..", "examples").toAbsolutePath().normalize();

  private final ScratchDirectory directory;
  private final Process process;
  private final int port;

  private Gateway(ScratchDirectory directory, int port, List<String> command) throws IOException {
    this.directory = directory;
    this.port = port;
    this.process =
        new ProcessBuilder(command)
            .directory(directory.path().toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log.txt").toFile())
            .start();
    ExitHooks.closeAtExit(this);
    Eventually.holds(
        command.getFirst() + " listens: " + log(), Duration.ofSeconds(30), this::isListening);
  }

  /**
   * nginx with one of its examples.
   *
   * @param change what the test does to it, beyond ports
   */
  static Gateway nginx(
      String example, int headgate, int application, UnaryOperator<String> change) {
    var directory = opened();
    int port = FreePorts.find(1).getFirst();
    String site = change.apply(filled("nginx/" + example, port, headgate, application));
    String around =
        """
        worker_processes 1;
        pid nginx.pid;
        error_log stderr;
        events {}
        http {
          access_log off;
          client_body_temp_path body;
          proxy_temp_path proxy;
          fastcgi_temp_path fastcgi;
          uwsgi_temp_path uwsgi;
          scgi_temp_path scgi;
          include site.conf;
        }
        """;
    String folder = directory.path().toString();
    return start(
        directory,
        port,
        List.of("nginx.conf", around, "site.conf", site.replace("/srv/www", folder + "/www")),
        List.of("nginx", "-p", folder, "-c", folder + "/nginx.conf", "-g", "daemon off;"));
  }

  static Gateway haproxy(int headgate, int application, UnaryOperator<String> change) {
    var directory = opened();
    int port = FreePorts.find(1).getFirst();
    return start(
        directory,
        port,
        List.of(
            "haproxy.cfg",
            change.apply(filled("haproxy/haproxy.cfg", port, headgate, application)),
            "headgate.lua",
            filled("haproxy/headgate.lua", port, headgate, application)),
        List.of("haproxy", "-db", "-f", "haproxy.cfg"));
  }

  private static Gateway start(
      ScratchDirectory directory, int port, List<String> files, List<String> command) {
    try {
      for (int i = 0; i < files.size(); i += 2) {
        Files.writeString(directory.resolve(files.get(i)), files.get(i + 1));
      }
      return new Gateway(directory, port, command);
    } catch (IOException e) {
      directory.close();
      throw new IllegalStateException(
          "%s can't be started; ./verify installs it (Debian's packages nginx-light and haproxy)"
              .formatted(command.getFirst()),
          e);
    }
  }

  /**
   * Creates a directory that the workers of an nginx started by root, which run as another user,
   * can read.
   */
  private static ScratchDirectory opened() {
    var directory = ScratchDirectory.create("headgate-gateway-");
    try {
      Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.createDirectory(directory.resolve("www"));
      Files.writeString(directory.resolve("www").resolve("index.html"), "<p>welcome");
      Files.writeString(directory.resolve("www").resolve("page.html"), "<p>page");
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String filled(String example, int port, int headgate, int application) {
    try {
      return Files.readString(EXAMPLES.resolve(example))
          .replace("127.0.0.1:8000", "127.0.0.1:" + port)
          .replace("127.0.0.1:8080", "127.0.0.1:" + headgate)
          .replace("127.0.0.1:9000", "127.0.0.1:" + application)
          .replace("_timeout 100ms;", "_timeout 30s;")
          .replace("_timeout 1s;", "_timeout 30s;")
          .replace("CONNECT_TIMEOUT_MS = 50", "CONNECT_TIMEOUT_MS = 30000")
          .replace("TIMEOUT_MS = 1000", "TIMEOUT_MS = 30000");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isListening() throws IOException {
    if (!process.isAlive()) throw new IOException("it has ended: " + log());
    try (var socket = new Socket(FreePorts.loopback(), port)) {
      return socket.isConnected();
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
    process.destroy(); // the master ends its workers
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
