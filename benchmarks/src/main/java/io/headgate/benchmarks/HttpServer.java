package io.headgate.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** A server in a child process that prints its address when it starts. */
public final class HttpServer implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");

  private final Child child;
  private final String address;

  /** Starts a command in a directory, and waits until it prints its address. */
  public HttpServer(List<String> command, Path directory) throws IOException {
    child = new Child(command, directory);
    try {
      var output =
          new BufferedReader(new InputStreamReader(child.output(), StandardCharsets.UTF_8));
      address = address(output);
      // A full pipe would block the server.
      Thread.ofVirtual().start(() -> drain(output));
    } catch (RuntimeException | IOException e) {
      child.close();
      throw e;
    }
  }

  private static String address(BufferedReader output) throws IOException {
    var lines = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      var found = ADDRESS.matcher(line);
      if (found.find()) return found.group();
      lines.append(line).append('\n');
    }
    throw new IllegalStateException("a server ended during start-up: " + lines.toString().strip());
  }

  private static void drain(BufferedReader output) {
    try (output) {
      output.transferTo(Writer.nullWriter());
    } catch (IOException e) {
      // The server has ended.
    }
  }

  /** Returns the address that it has printed. */
  public String address() {
    return address;
  }

  /** Returns its process id. */
  public long pid() {
    return child.pid();
  }

  Optional<Duration> cpu() {
    return child.cpu();
  }

  @Override
  public void close() {
    child.close();
  }
}
