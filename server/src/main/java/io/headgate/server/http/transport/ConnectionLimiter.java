package io.headgate.server.http.transport;

import io.headgate.server.api.ClientAddress;
import io.headgate.server.api.TrustedProxies;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who comes in, for all event loops together: how many connections there are, how many of one
 * address, and whose word counts about the address.
 */
public final class ConnectionLimiter {
  /** What an open connection takes in memory before it holds any request, generously. */
  private static final int BYTES_OF_ONE = 16 * 1024;

  private final ConnectionLimits limits;
  private final TrustedProxies proxies;
  private final MemoryBudget budget;
  private final int most;
  private final AtomicInteger open = new AtomicInteger();
  private final ConcurrentHashMap<ClientAddress, Integer> byCaller = new ConcurrentHashMap<>();

  /**
   * As many connections as the limits allow, and no more than fit into a quarter of the heap.
   *
   * @param budget for the memory that requests of all connections hold
   */
  public ConnectionLimiter(ConnectionLimits limits, TrustedProxies proxies, MemoryBudget budget) {
    this.limits = limits;
    this.proxies = proxies;
    this.budget = budget;
    long fit = Runtime.getRuntime().maxMemory() / 4 / BYTES_OF_ONE;
    this.most = (int) Math.min(limits.most(), Math.max(1, fit));
  }

  /** How many connections there are. */
  public int open() {
    return open.get();
  }

  public ConnectionLimits limits() {
    return limits;
  }

  public MemoryBudget budget() {
    return budget;
  }

  public TrustedProxies proxies() {
    return proxies;
  }

  /** Takes a place; false if there is none, and then there is none to leave. */
  public boolean enter(ClientAddress peer) {
    if (open.incrementAndGet() > most) {
      open.decrementAndGet();
      return false;
    }
    if (byCaller.merge(peer.caller(), 1, Integer::sum) > limits.mostOfOne()) {
      leave(peer);
      return false;
    }
    return true;
  }

  public void leave(ClientAddress peer) {
    open.decrementAndGet();
    byCaller.computeIfPresent(peer.caller(), (caller, count) -> count == 1 ? null : count - 1);
  }
}
