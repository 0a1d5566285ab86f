package io.headgate.server.http.transport;

import java.time.Duration;

/**
 * Limits on connections and their timeouts.
 *
 * @param maxConnections the number of connections that may be open at once
 * @param maxPerAddress the number of them that may come from one address (a /64 network for IPv6)
 * @param idle the time after which a connection without requests is closed
 * @param head the time within which the head of a request must arrive, from the opening of its
 *     connection or from its first byte
 * @param body the time within which the rest of a request must arrive
 */
public record ConnectionLimits(
    int maxConnections, int maxPerAddress, Duration idle, Duration head, Duration body) {
  public static final int DEFAULT_MAX_CONNECTIONS = 10_000;
  public static final Duration DEFAULT_IDLE = Duration.ofSeconds(60);
  public static final Duration DEFAULT_HEAD = Duration.ofSeconds(10);
  public static final Duration DEFAULT_BODY = Duration.ofSeconds(20);
  public static final ConnectionLimits DEFAULT =
      new ConnectionLimits(
          DEFAULT_MAX_CONNECTIONS,
          DEFAULT_MAX_CONNECTIONS,
          DEFAULT_IDLE,
          DEFAULT_HEAD,
          DEFAULT_BODY);

  /** The memory of an open connection without requests, as an upper estimate. */
  private static final int BYTES_PER_CONNECTION = 16 * 1024;

  private static final int TICKS = 20;

  public ConnectionLimits {
    require(maxConnections >= 1, "max-connections must be at least 1, got %s", maxConnections);
    require(
        maxPerAddress >= 1,
        "max-connections-per-address must be at least 1, got %s",
        maxPerAddress);
    requirePositive("idle-timeout", idle);
    requirePositive("header-timeout", head);
    requirePositive("body-timeout", body);
  }

  /**
   * Returns the number of connections that may be open at once with a heap of this size: as many as
   * configured, at most as many as fit into a quarter of it, and at least one.
   *
   * @param heapBytes the maximum size of the heap
   */
  public int maxConnections(long heapBytes) {
    return (int) Math.min(maxConnections, Math.max(1, heapBytes / 4 / BYTES_PER_CONNECTION));
  }

  /**
   * Returns these limits with another idle timeout. The timeouts for heads and bodies are reduced
   * to it if they are longer.
   */
  public ConnectionLimits withIdle(Duration timeout) {
    return new ConnectionLimits(
        maxConnections, maxPerAddress, timeout, shorter(head, timeout), shorter(body, timeout));
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** Returns the resolution of the timeouts: a twentieth of the shortest. */
  public long tickMillis() {
    long shortest = Math.min(idle.toMillis(), Math.min(head.toMillis(), body.toMillis()));
    return Math.max(1, shortest / TICKS);
  }

  /** Returns a time in ticks, at least 1. */
  long ticks(Duration time) {
    return Math.max(1, time.toMillis() / tickMillis());
  }

  private static void requirePositive(String name, Duration time) {
    require(time.toMillis() > 0, name + " must be positive, got %s", time);
  }

  private static void require(boolean ok, String message, Object value) {
    if (!ok) throw new IllegalArgumentException(message.formatted(value));
  }
}
