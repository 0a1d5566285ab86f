package io.headgate.server.http.transport;

import io.headgate.http.ClientAddress;
import io.headgate.http.TrustedProxies;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits the connections of all event loops together: the total, and those from one address. Also
 * holds the memory budget and the trusted proxies that all connections share. Thread-safe.
 */
public final class ConnectionLimiter {
  /** The memory of an open connection without requests, as an upper estimate. */
  private static final int BYTES_PER_CONNECTION = 16 * 1024;

  private final ConnectionLimits limits;
  private final TrustedProxies proxies;
  private final MemoryBudget budget;
  private final int maxConnections;
  private final AtomicInteger open = new AtomicInteger();
  private final ConcurrentHashMap<ClientAddress, Integer> byNetwork = new ConcurrentHashMap<>();

  /**
   * Allows as many connections as the limits permit, and no more than fit into a quarter of the
   * heap.
   *
   * @param budget the memory for the requests of all connections
   */
  public ConnectionLimiter(ConnectionLimits limits, TrustedProxies proxies, MemoryBudget budget) {
    this.limits = limits;
    this.proxies = proxies;
    this.budget = budget;
    long affordable = Runtime.getRuntime().maxMemory() / 4 / BYTES_PER_CONNECTION;
    this.maxConnections = (int) Math.min(limits.maxConnections(), Math.max(1, affordable));
  }

  /** Returns the number of open connections. */
  public int openConnections() {
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

  /**
   * Registers a connection.
   *
   * @return false if a limit is reached; nothing is registered then
   */
  public boolean tryAcquire(ClientAddress peer) {
    if (open.incrementAndGet() > maxConnections) {
      open.decrementAndGet();
      return false;
    }
    if (byNetwork.merge(peer.network(), 1, Integer::sum) > limits.maxPerAddress()) {
      release(peer);
      return false;
    }
    return true;
  }

  /** Unregisters a connection. */
  public void release(ClientAddress peer) {
    open.decrementAndGet();
    byNetwork.computeIfPresent(peer.network(), (caller, count) -> count == 1 ? null : count - 1);
  }
}
