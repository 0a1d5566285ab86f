package io.headgate.benchmarks.regions;

import io.headgate.benchmarks.BenchmarkContext;
import io.headgate.benchmarks.Child;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A process of the service, with one connection for checks. One thread checks; the other methods
 * are thread-safe.
 */
final class RegionProcess implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)");
  private static final Pattern REQUESTS =
      Pattern.compile("(?m)^headgate_region_home_requests_total ([\\d.E]+)$");
  private static final int TIMEOUT_MILLIS = 10_000;

  /** A check of one user over a connection that stays open. */
  private static final byte[] CHECK = request("{\"subject\":{\"user\":\"42\"}}");

  private final Child child;
  private final int port;
  private @Nullable Connection connection;

  /** An open connection. */
  private record Connection(Socket socket, BufferedInputStream in) {
    static Connection to(int port) throws IOException {
      var socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      return new Connection(socket, new BufferedInputStream(socket.getInputStream()));
    }

    String line() throws IOException {
      var line = new StringBuilder();
      for (int b = in.read(); b != '\n'; b = in.read()) {
        if (b < 0) throw new EOFException("the service has ended");
        if (b != '\r') line.append((char) b);
      }
      return line.toString();
    }
  }

  /** Starts the service of a jar with these arguments. */
  RegionProcess(String jar, List<String> args) throws IOException {
    var command = new ArrayList<String>();
    command.add(BenchmarkContext.java());
    command.addAll(BenchmarkContext.jvmOptions());
    command.addAll(List.of("-jar", jar, "serve", "--port", "0", "--rules-mode", "file"));
    command.addAll(args);
    child = new Child(command);
    try {
      port = awaitPort();
    } catch (RuntimeException | IOException e) {
      child.close();
      throw e;
    }
  }

  private static byte[] request(String body) {
    var head =
        "POST /v1/check HTTP/1.1\r\nHost: benchmark\r\nContent-Type: application/json\r\n"
            + "Content-Length: "
            + body.length()
            + "\r\n\r\n";
    return (head + body).getBytes(StandardCharsets.US_ASCII);
  }

  private int awaitPort() throws IOException {
    var output = new BufferedReader(new InputStreamReader(child.output(), StandardCharsets.UTF_8));
    var lines = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      var found = ADDRESS.matcher(line);
      if (found.find()) {
        // A full pipe would block the service.
        Thread.ofVirtual().start(() -> drain(output));
        return Integer.parseInt(found.group(1));
      }
      lines.append(line).append('\n');
    }
    throw new IllegalStateException("a service ended during start-up: " + lines.toString().strip());
  }

  private static void drain(BufferedReader output) {
    try (output) {
      output.transferTo(Writer.nullWriter());
    } catch (IOException e) {
      // The service has ended.
    }
  }

  /**
   * Returns whether a check is allowed. Connects if there is no connection, since the service
   * closes one that is idle.
   *
   * @throws IOException if the connection is lost; the next check connects again
   */
  boolean check() throws IOException {
    var current = connection == null ? Connection.to(port) : connection;
    connection = current;
    try {
      return check(current);
    } catch (IOException e) {
      connection = null;
      current.socket.close();
      throw e;
    }
  }

  private static boolean check(Connection connection) throws IOException {
    connection.socket.getOutputStream().write(CHECK);
    var status = connection.line();
    int length = 0;
    for (var line = connection.line(); !line.isEmpty(); line = connection.line()) {
      if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
        length = Integer.parseInt(line.substring(15).strip());
      }
    }
    if (connection.in.readNBytes(length).length < length) {
      throw new EOFException("the service has ended");
    }
    return status.startsWith("HTTP/1.1 200");
  }

  /** Returns whether home grants shares to this instance. */
  boolean isHomeReady() {
    return get("/health/ready").contains("\"ready\":true");
  }

  /** Returns the number of requests for shares that this instance has sent. */
  double homeRequests() {
    var found = REQUESTS.matcher(get("/metrics"));
    return found.find() ? Double.parseDouble(found.group(1)) : 0;
  }

  private String get(String path) {
    try (var http = HttpClient.newHttpClient()) {
      var uri = URI.create("http://127.0.0.1:%d%s".formatted(port, path));
      return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  /** Ends the process without a message to home. */
  void kill() throws InterruptedException {
    child.kill();
  }

  @Override
  public void close() {
    var open = connection;
    try (child) {
      if (open != null) open.socket.close();
    } catch (IOException e) {
      // The process has ended.
    }
  }
}
