package io.headgate.server.cli.bench;

import java.time.Duration;

/**
 * The load to apply.
 *
 * @param duration how long to send requests, 1 s to 1 h
 * @param connections how many requests may be in flight, 1 to 1000
 * @param perSecond how many requests to send per second; 0 sends the next request of a connection
 *     when the previous one has been answered
 */
public record LoadSettings(Duration duration, int connections, long perSecond) {
  private static final int MAX_CONNECTIONS = 1_000;
  private static final long MAX_PER_SECOND = 1_000_000;

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public LoadSettings {
    require(
        duration.compareTo(Duration.ofSeconds(1)) >= 0
            && duration.compareTo(Duration.ofHours(1)) <= 0,
        "--duration must be 1s to 1h, got %ss",
        duration.toSeconds());
    require(
        connections >= 1 && connections <= MAX_CONNECTIONS,
        "--connections must be 1 to %d, got %d",
        MAX_CONNECTIONS,
        connections);
    require(
        perSecond >= 0 && perSecond <= MAX_PER_SECOND,
        "--rate must be 0 to %d per second, got %d",
        MAX_PER_SECOND,
        perSecond);
  }

  private static void require(boolean condition, String message, Object... values) {
    if (!condition) throw new IllegalArgumentException(message.formatted(values));
  }

  /** Returns whether requests are sent at given times, whether or not earlier ones are answered. */
  public boolean isOpenLoop() {
    return perSecond > 0;
  }
}
