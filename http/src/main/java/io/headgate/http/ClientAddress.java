package io.headgate.http;

import io.headgate.rule.IpAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The IP address of a client or a proxy. All spellings of one address are equal, including an IPv4
 * address written as IPv4-mapped IPv6. Never resolves names. Immutable.
 */
public record ClientAddress(IpAddress ip) {
  /** The bits of an IPv6 address that {@link #network} keeps. */
  private static final int NETWORK_BITS = 64;

  private static final int GROUPS = 8;

  private static final ClientAddress LOOPBACK = parse("127.0.0.1").orElseThrow();

  /**
   * Parses an address without port, brackets or zone. Uses the parser of rule conditions, so that
   * an address reported by a proxy equals the address a rule matches.
   */
  public static Optional<ClientAddress> parse(String text) {
    return Optional.ofNullable(IpAddress.parse(text)).map(ClientAddress::new);
  }

  /** Returns the address of a socket. A socket without an address counts as loopback. */
  public static ClientAddress of(@Nullable SocketAddress peer) {
    return ofPeer(
        peer instanceof InetSocketAddress known && known.getAddress() != null
            ? known.getAddress().getHostAddress()
            : null);
  }

  /**
   * Returns the address of a peer by its text, which may be in brackets and have a zone. A peer
   * without an address, such as that of a Unix domain socket, counts as loopback.
   *
   * @param host the text of the address; null if the peer has none
   */
  public static ClientAddress ofPeer(@Nullable String host) {
    if (host == null) return LOOPBACK;
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    String bare = bracketed ? host.substring(1, host.length() - 1) : host;
    int zone = bare.indexOf('%');
    return parse(zone < 0 ? bare : bare.substring(0, zone)).orElse(LOOPBACK);
  }

  /**
   * Returns the unit in which clients are limited: an IPv4 address, or the /64 network of an IPv6
   * address, since a client that has one IPv6 address usually has the 2^64 of its network.
   */
  public ClientAddress network() {
    return ip.isV4() ? this : new ClientAddress(ip.prefix(NETWORK_BITS));
  }

  /** Returns the canonical text: a dotted quad, or the form of RFC 5952. */
  @Override
  public String toString() {
    return ip.isV4() ? dottedQuad() : compressed();
  }

  private String dottedQuad() {
    long bits = ip.low();
    return (bits >>> 24 & 255)
        + "."
        + (bits >>> 16 & 255)
        + "."
        + (bits >>> 8 & 255)
        + "."
        + (bits & 255);
  }

  /** Replaces the first of the longest runs of at least two zero groups by {@code ::}. */
  private String compressed() {
    int start = -1;
    int length = 1;
    for (int from = 0; from < GROUPS; from++) {
      int end = from;
      while (end < GROUPS && group(end) == 0) end++;
      if (end - from > length) {
        start = from;
        length = end - from;
      }
      from = end;
    }
    var text = new StringBuilder(39);
    for (int i = 0; i < GROUPS; i++) {
      if (i == start) {
        text.append("::");
        i += length - 1;
      } else {
        if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') text.append(':');
        text.append(Long.toHexString(group(i)));
      }
    }
    return text.toString();
  }

  private long group(int index) {
    long half = index < GROUPS / 2 ? ip.high() : ip.low();
    return half >>> (48 - 16 * (index % (GROUPS / 2))) & 0xffff;
  }
}
