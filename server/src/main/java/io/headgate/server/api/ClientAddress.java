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
 * An IP address as 128 bits. IPv4 addresses are IPv4-mapped, so that all spellings of one address
 * are equal. Never resolves names.
 */
public record ClientAddress(long high, long low) {
  private static final long V4_PREFIX = 0xffff_0000_0000L;
  private static final ClientAddress LOOPBACK = of(new byte[] {127, 0, 0, 1});

  /**
   * Parses an address without port, brackets or zone. Uses the parser of rule conditions, so that
   * an address reported by a proxy equals the address a rule matches.
   */
  public static Optional<ClientAddress> parse(String text) {
    return Optional.ofNullable(IpAddress.parse(text))
        .map(address -> new ClientAddress(address.high(), address.low()));
  }

  /**
   * Returns the peer of a connection. A connection without an address, such as a Unix domain
   * socket, counts as loopback.
   */
  public static ClientAddress of(HttpConnection connection) {
    var peer = connection.remoteAddress();
    String host = peer == null ? null : peer.hostAddress();
    if (host == null) return LOOPBACK;
    int zone = host.indexOf('%');
    return parse(zone < 0 ? host : host.substring(0, zone)).orElse(LOOPBACK);
  }

  /** Returns the address of a socket. A socket without an address counts as loopback. */
  public static ClientAddress of(@Nullable SocketAddress peer) {
    return peer instanceof InetSocketAddress known && known.getAddress() != null
        ? of(known.getAddress().getAddress())
        : LOOPBACK;
  }

  private static ClientAddress of(byte[] bytes) {
    var buffer = ByteBuffer.wrap(bytes);
    return bytes.length == 4
        ? new ClientAddress(0, V4_PREFIX | (buffer.getInt() & 0xffff_ffffL))
        : new ClientAddress(buffer.getLong(), buffer.getLong());
  }

  boolean isV4() {
    return high == 0 && (low & ~0xffff_ffffL) == V4_PREFIX;
  }

  /** Returns the address with all but its first {@code bits} (of 128) set to zero. */
  ClientAddress prefix(int bits) {
    return bits <= 64
        ? new ClientAddress(high & mask(bits), 0)
        : new ClientAddress(high, low & mask(bits - 64));
  }

  private static long mask(int bits) {
    return bits == 0 ? 0 : -1L << (64 - bits);
  }

  /**
   * Returns the unit in which clients are limited: an IPv4 address, or the /64 network of an IPv6
   * address, since a client that has one IPv6 address usually has the 2^64 of its network.
   */
  public ClientAddress network() {
    return isV4() ? this : prefix(64);
  }

  @Override
  public String toString() {
    var bytes =
        isV4()
            ? ByteBuffer.allocate(4).putInt((int) low).array()
            : ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    try {
      return NetUtil.toAddressString(InetAddress.getByAddress(bytes));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes are always an address", e);
    }
  }
}
