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
 * An IP address as 128 bits, IPv4 as IPv4-mapped, so that all ways to write one address are equal.
 * Never asks a name server.
 */
public record ClientAddress(long high, long low) {
  private static final long V4_PREFIX = 0xffff_0000_0000L;
  private static final ClientAddress LOOPBACK = of(new byte[] {127, 0, 0, 1});

  /**
   * Reads an address without port, brackets or zone, as rules read it: an address that a proxy
   * reports is the address that a rule matches.
   */
  public static Optional<ClientAddress> parse(String text) {
    return Optional.ofNullable(IpAddress.parse(text))
        .map(address -> new ClientAddress(address.high(), address.low()));
  }

  /** The peer of a connection; what has no address, such as a local socket, is this machine. */
  public static ClientAddress of(HttpConnection connection) {
    var peer = connection.remoteAddress();
    String host = peer == null ? null : peer.hostAddress();
    if (host == null) return LOOPBACK;
    int zone = host.indexOf('%');
    return parse(zone < 0 ? host : host.substring(0, zone)).orElse(LOOPBACK);
  }

  /** The same of a connection of which nothing but its socket is known yet. */
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

  /** The first {@code bits} (of 128) as they are, the others zero. */
  ClientAddress prefix(int bits) {
    return bits <= 64
        ? new ClientAddress(high & mask(bits), 0)
        : new ClientAddress(high, low & mask(bits - 64));
  }

  private static long mask(int bits) {
    return bits == 0 ? 0 : -1L << (64 - bits);
  }

  /** Whoever has one IPv6 address has the 2^64 of its network. */
  public ClientAddress caller() {
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
      throw new IllegalStateException("4 and 16 bytes are an address", e);
    }
  }
}
