package io.headgate.server;

import io.headgate.http.TrustedProxies;
import io.headgate.server.api.AccessControl;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.tls.TlsFiles;
import io.headgate.server.trace.TraceSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of a {@link Service}.
 *
 * @param host the address or host name to listen on; one that other machines can reach needs an
 *     admin token
 * @param port the port to listen on; 0 lets the operating system choose
 * @param connections limits on client connections and their timeouts
 * @param proxies proxies whose headers are trusted for the client address
 * @param tls certificate and key files; empty to serve without TLS
 * @param traces where to export traces; empty to record none
 * @param shutdownGrace how long a graceful stop may take
 * @param drainDelay how long to keep serving after readiness turns false; part of the grace
 * @param eventLoops the number of event loop threads
 * @param strictCosts whether a request with a cost that no matching limit spends is rejected
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
    int eventLoops,
    boolean strictCosts) {

  public static final int DEFAULT_PORT = 8080;
  public static final String DEFAULT_HOST = "127.0.0.1";
  public static final Duration DEFAULT_SHUTDOWN_GRACE = Duration.ofSeconds(10);
  public static final Duration DEFAULT_DRAIN_DELAY = Duration.ofMillis(250);

  public ServiceSettings {
    require(port >= 0 && port <= 65_535, "port must be 0 to 65535, got %d", port);
    require(eventLoops >= 1, "there must be at least 1 event loop, got %d", eventLoops);
    require(!shutdownGrace.isNegative(), "shutdown-grace must not be negative");
    require(!drainDelay.isNegative(), "drain-delay must not be negative");
    require(
        access.hasAdminToken() || resolve(host).isLoopbackAddress(),
        "host %s can be reached from other machines, but no admin token is set;"
            + " set one with --admin-token or HEADGATE_ADMIN_TOKEN, or listen on %s",
        host,
        DEFAULT_HOST);
  }

  /** Settings that accept unused costs. */
  public ServiceSettings(
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
    this(
        host,
        port,
        access,
        connections,
        proxies,
        tls,
        traces,
        shutdownGrace,
        drainDelay,
        eventLoops,
        false);
  }

  /** Settings with the default drain delay, without traces. */
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
        DEFAULT_DRAIN_DELAY,
        eventLoops);
  }

  /** Settings without TLS, proxies and traces, with default connection limits. */
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

  /** Returns the number of available processors, the default number of event loops. */
  public static int cores() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** Returns the IP address of the host. */
  public String address() {
    return resolve(host).getHostAddress();
  }

  private static InetAddress resolve(String host) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "cannot resolve host '%s'; give an address or a name of this machine".formatted(host), e);
    }
  }

  private static void require(boolean ok, String message, Object... values) {
    if (!ok) throw new IllegalArgumentException(message.formatted(values));
  }
}
