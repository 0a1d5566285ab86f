package io.headgate.consistency;

import java.time.Duration;

/**
 * What an instance may decide by itself, and for how long.
 *
 * @param syncInterval how often eventual rules tell the store what was counted here
 * @param share the part of a limit, one in so many, that one instance may hold at the most; with
 *     many instances it is less: all of them together hold no more than half
 * @param mostKeys how many counters may be kept here; what is beyond that is decided strictly
 */
public record ConsistencyOptions(Duration syncInterval, int share, int mostKeys) {
  private static final Duration SHORTEST = Duration.ofMillis(5);
  private static final Duration LONGEST = Duration.ofSeconds(10);

  public static final ConsistencyOptions DEFAULT =
      new ConsistencyOptions(Duration.ofMillis(100), 10, 100_000);

  public ConsistencyOptions {
    if (syncInterval.compareTo(SHORTEST) < 0 || syncInterval.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "eventual rules can report every 5 ms to 10 s, got %d ms; the default is 100"
              .formatted(syncInterval.toMillis()));
    }
    if (share < 2) {
      throw new IllegalArgumentException(
          "an instance may hold at most one half of a limit (share 2), got share %d; the default is 10"
              .formatted(share));
    }
    if (mostKeys < 1) {
      throw new IllegalArgumentException(
          "at least 1 counter must be kept, got %d; the default is 100000".formatted(mostKeys));
    }
  }

  public ConsistencyOptions withSyncInterval(Duration every) {
    return new ConsistencyOptions(every, share, mostKeys);
  }
}
