package io.headgate.server.http.transport;

import io.headgate.http.ClientAddress;
import io.headgate.http.TrustedProxies;
import io.headgate.store.Budget;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the connections of all event loops together: the total, and those from one address. Also
 * holds the memory budget and the trusted proxies that all connections share. Thread-safe.
 */
public final class ConnectionLimiter {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimiter.class);

  private static final String ADVICE =
      "raise --max-connections or --max-connections-per-address (and -Xmx), or find the clients that"
          + " open so many";

  private final ConnectionLimits limits;
  private final TrustedProxies proxies;
  private final MemoryBudget budget;
  private final Budget open;
  private final ConcurrentHashMap<ClientAddress, Integer> byNetwork = new ConcurrentHashMap<>();

  /**
   * Allows as many connections as the limits permit, and no more than the heap does. Logs a warning
   * if the heap permits fewer.
   *
   * @param budget the memory for the requests of all connections
   */
  public ConnectionLimiter(ConnectionLimits limits, TrustedProxies proxies, MemoryBudget budget) {
    this.limits = limits;
    this.proxies = proxies;
    this.budget = budget;
    long heap = Runtime.getRuntime().maxMemory();
    int maxConnections = limits.maxConnections(heap);
    this.open = new Budget("connections", maxConnections, ADVICE);
    if (maxConnections < limits.maxConnections()) {
      LOG.warn(
          "allowing {} connections instead of --max-connections {}, since they may use a quarter of"
              + " the heap of {} MB; give the service a larger heap (-Xmx) or lower"
              + " --max-connections",
          maxConnections,
          limits.maxConnections(),
          heap >> 20);
    }
  }

  /** Returns the budgets that all connections share. */
  public List<Budget> budgets() {
    return List.of(open, budget.budget());
  }

  /** Returns the number of open connections. */
  public int openConnections() {
    return (int) open.used();
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
    if (!open.tryTake()) return false;
    if (byNetwork.merge(peer.network(), 1, Integer::sum) > limits.maxPerAddress()) {
      open.refuse();
      release(peer);
      return false;
    }
    return true;
  }

  /** Unregisters a connection. */
  public void release(ClientAddress peer) {
    open.giveBack(1);
    byNetwork.computeIfPresent(peer.network(), (caller, count) -> count == 1 ? null : count - 1);
  }
}
