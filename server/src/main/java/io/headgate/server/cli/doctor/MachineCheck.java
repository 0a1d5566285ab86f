package io.headgate.server.cli.doctor;

import com.sun.management.UnixOperatingSystemMXBean;
import io.headgate.server.cli.output.SystemErrorText;
import io.headgate.server.http.transport.ConnectionLimits;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Checks Java, file descriptors, the data directory and the port. */
public final class MachineCheck {
  private static final String JAVA = "java";
  private static final String DATA = "data";
  private static final String PORT = "port";
  private static final long SMALL_HEAP = 128L << 20;

  private MachineCheck() {}

  /**
   * Checks the Java runtime and its limits.
   *
   * @param limits the limits on connections of the service
   */
  public static List<Finding> java(ConnectionLimits limits) {
    return java(limits, Runtime.getRuntime().maxMemory());
  }

  /** As {@link #java(ConnectionLimits)}, for a maximum size of the heap in bytes. */
  static List<Finding> java(ConnectionLimits limits, long heap) {
    var findings = new ArrayList<Finding>();
    int connections = limits.maxConnections();
    String runtime =
        String.format(
            Locale.ROOT,
            "%s (%s), %d cores, heap up to %,d MB",
            Runtime.version(),
            System.getProperty("java.vendor"),
            Runtime.getRuntime().availableProcessors(),
            heap >> 20);
    findings.add(
        heap < SMALL_HEAP
            ? Finding.warning(
                JAVA, runtime, "give the service at least 128 MB: JAVA_TOOL_OPTIONS=-Xmx256m")
            : Finding.ok(JAVA, runtime));
    int affordable = limits.maxConnections(heap);
    if (affordable < connections) {
      findings.add(
          Finding.warning(
              "heap",
              "a heap of %,d MB allows %d connections, fewer than --max-connections %d"
                  .formatted(heap >> 20, affordable, connections),
              "raise the heap (HEADGATE_JAVA_OPTS=-Xmx…) or lower --max-connections"));
    }
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        && unix.getMaxFileDescriptorCount() < connections) {
      findings.add(
          Finding.warning(
              "files",
              "a process may open %d files, fewer than --max-connections %d"
                  .formatted(unix.getMaxFileDescriptorCount(), connections),
              "raise the limit (ulimit -n, LimitNOFILE of systemd) or lower --max-connections"));
    }
    return findings;
  }

  /** Checks that the data directory, or the directory that it will be made in, can be written. */
  public static Finding data(Path directory) {
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      return Finding.problem(
          DATA, directory + " is not a directory", "remove it, or name another one with --data");
    }
    var nearest = directory.toAbsolutePath().normalize();
    while (nearest.getParent() != null && !Files.isDirectory(nearest))
      nearest = nearest.getParent();
    try {
      Files.delete(Files.createTempFile(nearest, "headgate", ".tmp"));
    } catch (IOException e) {
      return Finding.problem(
          DATA,
          "%s can't be written: %s".formatted(nearest, SystemErrorText.of(e)),
          "run headgate as the owner of the directory, or name another one with --data");
    }
    return Finding.ok(DATA, directory + (Files.isDirectory(directory) ? "" : ", not yet made"));
  }

  /**
   * Checks that a service can listen.
   *
   * @param running whether a service already answers there
   */
  public static Finding port(String host, int port, boolean running) {
    if (running) return Finding.ok(PORT, "%d of %s, a service is listening".formatted(port, host));
    try (var socket = new ServerSocket(port, 1, InetAddress.getByName(host))) {
      return Finding.ok(PORT, "%d of %s is free".formatted(socket.getLocalPort(), host));
    } catch (UnknownHostException e) {
      return Finding.problem(
          PORT,
          "the host %s is not an address of this machine".formatted(host),
          "correct --host; 127.0.0.1 is this machine alone, 0.0.0.0 all its addresses");
    } catch (IOException e) {
      return Finding.problem(
          PORT,
          "can't listen on %s:%d: %s".formatted(host, port, e.getMessage()),
          "stop the process that uses the port (ss -ltnp), or choose another with --port");
    }
  }
}
