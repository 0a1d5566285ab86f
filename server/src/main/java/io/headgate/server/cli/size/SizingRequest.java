package io.headgate.server.cli.size;

import io.headgate.redis.KeyLayout;
import java.util.Map;

/**
 * What to size.
 *
 * @param layout the layout of keys in Redis
 * @param callers the callers that are active at the same time, at least 1
 * @param callersOf the callers of single rules or limits, by {@code rule} or {@code rule/limit}
 * @param rate checks per second of all instances, at least 0
 * @param instances the number of instances, 1 to 1,000
 * @param keyLength the characters of a caller's key, 1 to 1,000
 * @param usedPercent the share of rolling windows and slots in use, 1 to 100
 * @param backups the copies of each counter in a cluster
 */
public record SizingRequest(
    SizedStore store,
    KeyLayout layout,
    long callers,
    Map<String, Long> callersOf,
    long rate,
    int instances,
    int keyLength,
    int usedPercent,
    int backups) {
  /** Throws {@link IllegalArgumentException} if a number is out of range. */
  public SizingRequest {
    require("--callers", callers, 1, QuantityText.MAX);
    require("--rate", rate, 0, 1_000_000_000);
    require("--instances", instances, 1, 1_000);
    require("--key-length", keyLength, 1, 1_000);
    require("--used", usedPercent, 1, 100);
    require("--backups", backups, 0, 2);
    callersOf = Map.copyOf(callersOf);
    callersOf.forEach((name, count) -> require("--callers-of " + name, count, 1, QuantityText.MAX));
  }

  private static void require(String option, long value, long min, long max) {
    if (value >= min && value <= max) return;
    throw new IllegalArgumentException(
        "%s must be %d to %d, got %d".formatted(option, min, max, value));
  }
}
