package io.headgate.server.abuse;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** The service in a process of its own with a heap of 128 MB. */
final class SmallHeapService implements AutoCloseable {
  private static final Pattern LISTENS =
      Pattern.compile("listens on http://127\\.0\\.0\\.1:(\\d+)");
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  private final Process process;
  private final Path out;
  private final Path err;
  private final int port;

  SmallHeapService(Path folder) throws IOException {
    out = folder.resolve("out.txt");
    err = folder.resolve("err.txt");
    var tests = System.getProperty("surefire.test.class.path");
    var command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-Dlogback.configurationFile=logback.xml",
            "-cp",
            tests == null ? System.getProperty("java.class.path") : tests,
            "io.headgate.server.cli.Main",
            "serve",
            "--port",
            "0",
            "--warm-up",
            "0s");
    var builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADGATE_"));
    process = builder.start();
    await().atMost(TIMEOUT).until(() -> !process.isAlive() || LISTENS.matcher(read(out)).find());
    var listens = LISTENS.matcher(read(out));
    if (!listens.find()) throw new AssertionError("the service did not start: " + read(err));
    port = Integer.parseInt(listens.group(1));
  }

  int port() {
    return port;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Returns the number of logged lines. */
  long logged() {
    return read(err).lines().count();
  }

  String log() {
    return read(err);
  }

  /** Sends a regular request on a connection of its own. */
  HttpResponse<String> request(HttpRequest.Builder request) {
    try (var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      return client.send(
          request.timeout(Duration.ofSeconds(30)).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
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
  }
}
