package io.headgate.http;

import io.headgate.rule.Pattern;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Determines the client address of a request that may have passed proxies.
 *
 * <p>Any client can write any header, so forwarding headers are evaluated only if the peer is a
 * trusted proxy. The hops of a header are then walked from the nearest. Each was added by the hop
 * before it, so the first address that is not a trusted proxy is the client, and hops beyond it are
 * ignored. If two headers yield different clients, one of them may have been written by the client,
 * so the peer itself counts as the client; {@link #withHeaders} selects the header that the proxies
 * set. Immutable.
 */
public final class TrustedProxies {
  private static final List<ForwardedHeader> ALL = List.of(ForwardedHeader.values());

  /** Trusts no proxy. */
  public static final TrustedProxies NONE = new TrustedProxies(List.of(), ALL);

  private final List<Pattern.Cidr> networks;
  private final List<ForwardedHeader> headers;

  private TrustedProxies(List<Pattern.Cidr> networks, List<ForwardedHeader> headers) {
    this.networks = networks;
    this.headers = headers;
  }

  /**
   * Creates trusted proxies from addresses and CIDR blocks such as {@code 127.0.0.1} and {@code
   * 10.0.0.0/8}.
   *
   * @throws IllegalArgumentException if a text is neither
   */
  public static TrustedProxies of(List<String> blocks) {
    return new TrustedProxies(blocks.stream().map(TrustedProxies::network).toList(), ALL);
  }

  private static Pattern.Cidr network(String block) {
    try {
      return Pattern.Cidr.parse(block.strip());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'%s' is not an address or CIDR block; write 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32"
              .formatted(TextSyntax.excerpt(block)),
          e);
    }
  }

  /**
   * Returns the same proxies with only these headers evaluated, in this order.
   *
   * @throws IllegalArgumentException if a header is not supported, given twice, or none is given
   */
  public TrustedProxies withHeaders(List<String> names) {
    var chosen = new ArrayList<ForwardedHeader>();
    for (var name : names) {
      chosen.add(
          ForwardedHeader.find(name.strip())
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      "'%s' is not known; allowed: X-Real-IP, X-Forwarded-For, Forwarded"
                          .formatted(TextSyntax.excerpt(name)))));
    }
    if (chosen.isEmpty() || EnumSet.copyOf(chosen).size() < chosen.size()) {
      throw new IllegalArgumentException("name one or more headers, each once");
    }
    return new TrustedProxies(networks, List.copyOf(chosen));
  }

  /**
   * Returns whether the address is that of a trusted proxy. Compares bits alone: unlike in a rule,
   * an IPv6 block that contains the IPv4-mapped range, such as {@code ::/0}, contains IPv4 too.
   */
  public boolean isTrusted(ClientAddress address) {
    for (var network : networks) {
      if (address.ip().sharesPrefix(network.address(), network.bits())) return true;
    }
    return false;
  }

  /**
   * Returns the address of the client.
   *
   * @param lines returns the lines of a header in their order, by its name
   */
  public ClientAddress caller(ClientAddress peer, Function<String, List<String>> lines) {
    if (!isTrusted(peer)) return peer;
    Optional<ClientAddress> inside = Optional.empty();
    Optional<ClientAddress> outside = Optional.empty();
    for (var header : headers) {
      var hops = header.hops(lines.apply(header.field()));
      var walk = walk(peer, hops);
      if (walk.isOutside) {
        // A proxy sets one of these headers and passes the others on as the client wrote them.
        if (outside.isPresent() && !outside.get().equals(walk.last)) return peer;
        outside = Optional.of(walk.last);
      } else if (inside.isEmpty() && !hops.isEmpty()) {
        inside = Optional.of(walk.last);
      }
    }
    if (outside.isPresent()) return outside.get();
    // All are trusted proxies: the farthest one sent the request itself.
    return inside.orElse(peer);
  }

  /**
   * @param last the farthest address that is trustworthy
   * @param isOutside whether this address is not a trusted proxy, or the hop beyond it is
   *     unreadable
   */
  private record Walk(ClientAddress last, boolean isOutside) {}

  private Walk walk(ClientAddress peer, List<Optional<ClientAddress>> hops) {
    var last = peer;
    for (var hop : hops) {
      if (hop.isEmpty()) return new Walk(last, true); // the proxy did not report its client
      last = hop.get();
      if (!isTrusted(last)) return new Walk(last, true);
    }
    return new Walk(last, false);
  }
}
