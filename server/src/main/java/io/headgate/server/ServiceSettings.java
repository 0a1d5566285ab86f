package io.headgate.server;

import io.headgate.server.api.AccessControl;
import io.headgate.server.api.TrustedProxies;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.tls.TlsFiles;
import io.headgate.server.trace.TraceSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;

/**
 * How to serve.
 *
 * @param port 0 lets the system choose
 * @param connections what clients may take of connections and time
 * @param proxies who is believed about whom it asks for
 * @param tls empty to serve in clear text
 * @param traces empty to follow no requests
 * @param shutdownGrace how long accepted requests may take when the service stops
 * @param drainDelay how much of that it goes on serving, while it says that it is not ready
 */
public record ServiceSettings(
    String host,
    int port,
    AccessControl access,
    ConnectionLimits connections,
    TrustedProxies proxies,
    Optional<TlsFiles> tls,
    Optional<TraceSettings> traces,
    Duration shutdownGrace,
    Duration drainDelay,
    int eventLoops) {

  public static final int DEFAULT_PORT = 8080;
  public static final String DEFAULT_HOST = "127.0.0.1";
  public static final Duration DEFAULT_GRACE = Duration.ofSeconds(10);
  public static final Duration DEFAULT_NOTICE = Duration.ofMillis(250);

  public ServiceSettings {
    require(port >= 0 && port <= 65_535, "port must be 0 to 65535, got %d", port);
    require(eventLoops >= 1, "there must be at least 1 event loop, got %d", eventLoops);
    require(!shutdownGrace.isNegative(), "shutdown-grace must not be negative");
    require(!drainDelay.isNegative(), "drain-delay must not be negative");
    require(
        access.hasAdminToken() || resolve(host).isLoopbackAddress(),
        "host %s can be reached from other machines, and there is no admin token;"
            + " set one with --admin-token or HEADGATE_ADMIN_TOKEN, or listen on %s",
        host,
        DEFAULT_HOST);
  }

  /** With the usual notice, and without traces. */
  public ServiceSettings(
      String host,
      int port,
      AccessControl access,
      ConnectionLimits connections,
      TrustedProxies proxies,
      Optional<TlsFiles> tls,
      Duration shutdownGrace,
      int eventLoops) {
    this(
        host,
        port,
        access,
        connections,
        proxies,
        tls,
        Optional.empty(),
        shutdownGrace,
        DEFAULT_NOTICE,
        eventLoops);
  }

  /** In clear text, with the usual limits, for clients that ask for themselves. */
  public ServiceSettings(
      String host,
      int port,
      AccessControl access,
      Duration idleTimeout,
      Duration shutdownGrace,
      int eventLoops) {
    this(
        host,
        port,
        access,
        ConnectionLimits.DEFAULT.withIdle(idleTimeout),
        TrustedProxies.NONE,
        Optional.empty(),
        shutdownGrace,
        eventLoops);
  }

  public static int cores() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** The address that the host's name stands for. */
  public String address() {
    return resolve(host).getHostAddress();
  }

  private static InetAddress resolve(String host) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "host '%s' is not known; give an address or a name of this machine".formatted(host), e);
    }
  }

  private static void require(boolean ok, String message, Object... values) {
    if (!ok) throw new IllegalArgumentException(message.formatted(values));
  }
}
