package io.headgate.server.http.transport;

import java.time.Duration;

/**
 * What clients may take of connections and time.
 *
 * @param most how many connections may be open at once
 * @param mostOfOne how many of them may come from one address (an IPv6 network of 64 bits)
 * @param idle how long a client may keep a connection and say nothing
 * @param head how long the head of a request may take to come, from the opening of its connection
 *     or from its first byte
 * @param body how long the rest of a request may take to come
 */
public record ConnectionLimits(
    int most, int mostOfOne, Duration idle, Duration head, Duration body) {
  public static final int DEFAULT_MOST = 10_000;
  public static final Duration DEFAULT_IDLE = Duration.ofSeconds(60);
  public static final Duration DEFAULT_HEAD = Duration.ofSeconds(10);
  public static final Duration DEFAULT_BODY = Duration.ofSeconds(20);
  public static final ConnectionLimits DEFAULT =
      new ConnectionLimits(DEFAULT_MOST, DEFAULT_MOST, DEFAULT_IDLE, DEFAULT_HEAD, DEFAULT_BODY);

  private static final int TICKS = 20;

  public ConnectionLimits {
    require(most >= 1, "max-connections must be at least 1, got %s", most);
    require(mostOfOne >= 1, "max-connections-per-address must be at least 1, got %s", mostOfOne);
    requirePositive("idle-timeout", idle);
    requirePositive("header-timeout", head);
    requirePositive("body-timeout", body);
  }

  /** The same with another time for silence, and no more of it for heads and bodies. */
  public ConnectionLimits withIdle(Duration changed) {
    return new ConnectionLimits(
        most, mostOfOne, changed, shorter(head, changed), shorter(body, changed));
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** The length of the steps in which time is counted: fine enough for the shortest of them. */
  public long tickMillis() {
    long shortest = Math.min(idle.toMillis(), Math.min(head.toMillis(), body.toMillis()));
    return Math.max(1, shortest / TICKS);
  }

  /** How many whole steps a time lasts. */
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
