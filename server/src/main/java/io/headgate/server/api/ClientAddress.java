package io.headgate.server.api;

import io.headgate.rule.IpAddress;
import io.netty.util.NetUtil;
import io.vertx.core.http.HttpConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The IP address of a client or a proxy. All spellings of one address are equal, including an IPv4
 * address written as IPv4-mapped IPv6. Never resolves names. Immutable.
 */
public record ClientAddress(IpAddress ip) {
  /** The bits of an IPv6 address that {@link #network} keeps. */
  private static final int NETWORK_BITS = 64;

  private static final ClientAddress LOOPBACK = parse("127.0.0.1").orElseThrow();

  /**
   * Parses an address without port, brackets or zone. Uses the parser of rule conditions, so that
   * an address reported by a proxy equals the address a rule matches.
   */
  public static Optional<ClientAddress> parse(String text) {
    return Optional.ofNullable(IpAddress.parse(text)).map(ClientAddress::new);
  }

  /**
   * Returns the peer of a connection. A connection without an address, such as a Unix domain
   * socket, counts as loopback.
   */
  public static ClientAddress of(HttpConnection connection) {
    var peer = connection.remoteAddress();
    return ofHost(peer == null ? null : peer.hostAddress());
  }

  /** Returns the address of a socket. A socket without an address counts as loopback. */
  public static ClientAddress of(@Nullable SocketAddress peer) {
    return ofHost(
        peer instanceof InetSocketAddress known && known.getAddress() != null
            ? known.getAddress().getHostAddress()
            : null);
  }

  private static ClientAddress ofHost(@Nullable String host) {
    if (host == null) return LOOPBACK;
    int zone = host.indexOf('%');
    return parse(zone < 0 ? host : host.substring(0, zone)).orElse(LOOPBACK);
  }

  /**
   * Returns the unit in which clients are limited: an IPv4 address, or the /64 network of an IPv6
   * address, since a client that has one IPv6 address usually has the 2^64 of its network.
   */
  public ClientAddress network() {
    return ip.isV4() ? this : new ClientAddress(ip.prefix(NETWORK_BITS));
  }

  @Override
  public String toString() {
    var bytes = ByteBuffer.allocate(16).putLong(ip.high()).putLong(ip.low()).array();
    try {
      return NetUtil.toAddressString(InetAddress.getByAddress(bytes)); // IPv4 if it is IPv4-mapped
    } catch (UnknownHostException e) {
      throw new IllegalStateException("16 bytes are always an address", e);
    }
  }
}
