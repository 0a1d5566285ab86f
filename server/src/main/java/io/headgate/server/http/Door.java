package io.headgate.server.http;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who comes in, for all event loops together: how many connections there are, how many of one
 * address, and whose word counts about the address.
 */
public final class Door {
  private final ConnectionLimits limits;
  private final TrustedProxies proxies;
  private final AtomicInteger open = new AtomicInteger();
  private final ConcurrentHashMap<Address, Integer> byCaller = new ConcurrentHashMap<>();

  public Door(ConnectionLimits limits, TrustedProxies proxies) {
    this.limits = limits;
    this.proxies = proxies;
  }

  /** How many connections there are. */
  public int open() {
    return open.get();
  }

  ConnectionLimits limits() {
    return limits;
  }

  TrustedProxies proxies() {
    return proxies;
  }

  /** Takes a place; false if there is none, and then there is none to leave. */
  boolean enter(Address peer) {
    if (open.incrementAndGet() > limits.most()) {
      open.decrementAndGet();
      return false;
    }
    if (byCaller.merge(peer.caller(), 1, Integer::sum) > limits.mostOfOne()) {
      leave(peer);
      return false;
    }
    return true;
  }

  void leave(Address peer) {
    open.decrementAndGet();
    byCaller.computeIfPresent(peer.caller(), (caller, count) -> count == 1 ? null : count - 1);
  }
}
