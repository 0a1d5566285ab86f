package io.headgate.benchmarks.scale;

import com.sun.management.UnixOperatingSystemMXBean;
import io.headgate.benchmarks.BenchmarkContext;
import io.headgate.benchmarks.HttpServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Opens many HTTP connections to one service, sends a check over each, and keeps them open. Then
 * sends a check over each of them again.
 */
final class ConnectionsRun {
  private static final int RESERVED_FILES = 500; // of the service and of this process
  private static final int WARM_UP_CONNECTIONS = 200;
  private static final int SPARE_CONNECTIONS = 100;

  /** The service accepts as many connections as fit into a quarter of it: 16,384. */
  private static final String HEAP = "-Xmx1g";

  private static final String BODY = "{\"key\":\"user:1\"}";
  private static final String REQUEST =
      "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          + "Content-Length: "
          + BODY.length()
          + "\r\n\r\n"
          + BODY;

  private ConnectionsRun() {}

  /**
   * Measures a service that is started from its jar.
   *
   * @param wanted the number of connections; fewer are opened if the operating system permits fewer
   *     open files
   * @return the figures as a sentence
   */
  static String measure(Path jar, int wanted) throws IOException {
    int count = Math.min(wanted, maxConnections());
    var directory = Files.createTempDirectory("headgate-connections");
    var command = new ArrayList<>(List.of(BenchmarkContext.java(), HEAP));
    command.addAll(BenchmarkContext.jvmOptions());
    command.addAll(
        List.of(
            "-jar",
            jar.toAbsolutePath().toString(),
            "serve",
            "--port",
            "0",
            "--max-connections",
            Integer.toString(count + SPARE_CONNECTIONS),
            "--max-connections-per-address",
            Integer.toString(count + SPARE_CONNECTIONS),
            "--store",
            "memory"));
    var open = new ArrayList<SocketChannel>();
    try (var server = new HttpServer(command, directory)) {
      var uri = URI.create(server.address());
      var address = new InetSocketAddress(uri.getHost(), uri.getPort());
      warmUp(address, Math.min(count, WARM_UP_CONNECTIONS));
      double before = residentBytes(server.pid());
      for (int i = 0; i < count; i++) {
        open.add(SocketChannel.open(address));
        check(open.getLast());
      }
      double bytes = (residentBytes(server.pid()) - before) / count;
      long start = System.nanoTime();
      for (var channel : open) check(channel);
      double micros = (System.nanoTime() - start) / 1e3 / count;
      return String.format(
          Locale.ROOT,
          "%,d open HTTP connections%s: %.1f kB of resident memory of the service each; a check over"
              + " each of them in turn was answered, in %.0f µs on average",
          count,
          shortage(count, wanted),
          bytes / 1e3,
          micros);
    } finally {
      for (var channel : open) channel.close();
      delete(directory);
    }
  }

  /** Loads the classes of the service, so that they are not counted as memory of connections. */
  private static void warmUp(InetSocketAddress address, int connections) throws IOException {
    for (int i = 0; i < connections; i++) {
      try (var channel = SocketChannel.open(address)) {
        for (int j = 0; j < 20; j++) check(channel);
      }
    }
  }

  private static int maxConnections() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? Math.clamp(unix.getMaxFileDescriptorCount() - RESERVED_FILES, 1, Integer.MAX_VALUE)
        : Integer.MAX_VALUE;
  }

  /** Explains why fewer connections were opened than wanted. */
  static String shortage(int count, int wanted) {
    if (count == wanted) return "";
    return String.format(
        Locale.ROOT,
        " (of %,d wanted: the operating system permits %,d open files; raise it with ulimit -n %d)",
        wanted,
        count + RESERVED_FILES,
        wanted + RESERVED_FILES);
  }

  /** Sends a check, and reads the response. */
  private static void check(SocketChannel channel) throws IOException {
    var request = ByteBuffer.wrap(REQUEST.getBytes(StandardCharsets.US_ASCII));
    while (request.hasRemaining()) channel.write(request);
    var response = ByteBuffer.allocate(4_096);
    var text = "";
    while (!isComplete(text)) {
      if (channel.read(response) < 0) {
        throw new IOException("the service closed a connection after: " + text);
      }
      text = new String(response.array(), 0, response.position(), StandardCharsets.US_ASCII);
    }
    // A denial is an answer too.
    if (!text.startsWith("HTTP/1.1 200") && !text.startsWith("HTTP/1.1 429")) {
      throw new IOException("a check failed: " + text);
    }
  }

  private static boolean isComplete(String text) {
    int head = text.indexOf("\r\n\r\n");
    if (head < 0) return false;
    var lower = text.substring(0, head).toLowerCase(Locale.ROOT);
    int at = lower.indexOf("content-length: ");
    if (at < 0) throw new IllegalStateException("a response without a length: " + text);
    int length = Integer.parseInt(lower.substring(at + 16).lines().findFirst().orElse("0").strip());
    return text.length() >= head + 4 + length;
  }

  private static double residentBytes(long pid) throws IOException {
    for (var line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
      if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", "")) * 1_024.0;
    }
    throw new IOException("the operating system does not report the memory of process " + pid);
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      for (var file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
