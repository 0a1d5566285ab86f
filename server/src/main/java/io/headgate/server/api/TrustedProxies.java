package io.headgate.server.api;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Which peers are believed when they say on whose behalf they ask, and in which headers.
 *
 * <p>Whoever connects can write any header, so nothing is believed of a peer that is not a proxy of
 * ours. Of what one of ours says, the hops are walked from the nearest: each was added by the one
 * before it, so the first that is not ours is the caller, and what that caller claims about hops
 * further away counts for nothing. Where two headers name different callers, one of them may be the
 * caller's own invention, and the peer itself is taken for the caller: {@link #reading} says which
 * header our proxies set.
 */
public final class TrustedProxies {
  private static final List<ForwardedHeader> ALL = List.of(ForwardedHeader.values());

  public static final TrustedProxies NONE = new TrustedProxies(List.of(), ALL);

  private final List<AddressBlock> networks;
  private final List<ForwardedHeader> headers;

  private TrustedProxies(List<AddressBlock> networks, List<ForwardedHeader> headers) {
    this.networks = networks;
    this.headers = headers;
  }

  /** From addresses and blocks such as {@code 127.0.0.1} and {@code 10.0.0.0/8}. */
  public static TrustedProxies of(List<String> blocks) {
    var networks = new ArrayList<AddressBlock>();
    for (var block : blocks) {
      networks.add(
          AddressBlock.parse(block.strip())
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      "'%s' is no address or block; write 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32"
                          .formatted(TextSyntax.shown(block)))));
    }
    return new TrustedProxies(List.copyOf(networks), ALL);
  }

  /** The same, believing these headers only, in this order. */
  public TrustedProxies reading(List<String> names) {
    var chosen = new ArrayList<ForwardedHeader>();
    for (var name : names) {
      chosen.add(
          ForwardedHeader.find(name.strip())
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      "'%s' is not known; allowed: X-Real-IP, X-Forwarded-For, Forwarded"
                          .formatted(TextSyntax.shown(name)))));
    }
    if (chosen.isEmpty() || EnumSet.copyOf(chosen).size() < chosen.size()) {
      throw new IllegalArgumentException("name one or more headers, each once");
    }
    return new TrustedProxies(networks, List.copyOf(chosen));
  }

  public boolean isTrusted(ClientAddress address) {
    for (var network : networks) {
      if (network.contains(address)) return true;
    }
    return false;
  }

  /**
   * Who asks.
   *
   * @param lines the lines of a header, in their order, by its name
   */
  public ClientAddress caller(ClientAddress peer, Function<String, List<String>> lines) {
    if (!isTrusted(peer)) return peer;
    Optional<ClientAddress> inside = Optional.empty();
    Optional<ClientAddress> outside = Optional.empty();
    for (var header : headers) {
      var hops = header.hops(lines.apply(header.field()));
      var walk = walk(peer, hops);
      if (walk.isOutside) {
        // A proxy sets one of these headers and lets the others pass as the caller wrote them.
        if (outside.isPresent() && !outside.get().equals(walk.last)) return peer;
        outside = Optional.of(walk.last);
      } else if (inside.isEmpty() && !hops.isEmpty()) {
        inside = Optional.of(walk.last);
      }
    }
    if (outside.isPresent()) return outside.get();
    // All are ours: the farthest is a machine of ours that asks for itself.
    return inside.orElse(peer);
  }

  /**
   * @param last the farthest address that can be believed
   * @param isOutside whether that is where our proxies end
   */
  private record Walk(ClientAddress last, boolean isOutside) {}

  private Walk walk(ClientAddress peer, List<Optional<ClientAddress>> hops) {
    var last = peer;
    for (var hop : hops) {
      if (hop.isEmpty()) return new Walk(last, true); // our proxy does not say whom it served
      last = hop.get();
      if (!isTrusted(last)) return new Walk(last, true);
    }
    return new Walk(last, false);
  }
}
