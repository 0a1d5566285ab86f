package io.headgate.store;

import java.time.Duration;

/** Options of the consistency modes leased, eventual and auto. Immutable. */
public final class ConsistencyOptions {
  private static final Duration MIN_SYNC_INTERVAL = Duration.ofMillis(5);
  private static final Duration MAX_SYNC_INTERVAL = Duration.ofSeconds(10);

  /**
   * A sync interval of 100 ms, a share of 10 (an instance holds at most a tenth of a limit), and
   * 100,000 counters.
   */
  public static final ConsistencyOptions DEFAULT =
      new ConsistencyOptions(Duration.ofMillis(100), 10, 100_000);

  private final Duration syncInterval;
  private final int share;
  private final int maxKeys;

  private ConsistencyOptions(Duration syncInterval, int share, int maxKeys) {
    if (syncInterval.compareTo(MIN_SYNC_INTERVAL) < 0
        || syncInterval.compareTo(MAX_SYNC_INTERVAL) > 0) {
      throw new IllegalArgumentException(
          "eventual rules can report every 5 ms to 10 s, got %d ms; the default is 100"
              .formatted(syncInterval.toMillis()));
    }
    if (share < 2) {
      throw new IllegalArgumentException(
          "an instance may hold at most one half of a limit (share 2), got share %d; the default is 10"
              .formatted(share));
    }
    if (maxKeys < 1) {
      throw new IllegalArgumentException(
          "at least 1 counter must be kept, got %d; the default is 100000".formatted(maxKeys));
    }
    this.syncInterval = syncInterval;
    this.share = share;
    this.maxKeys = maxKeys;
  }

  /**
   * Returns these options with another sync interval.
   *
   * @throws IllegalArgumentException if it is not from 5 ms to 10 s
   */
  public ConsistencyOptions withSyncInterval(Duration interval) {
    return new ConsistencyOptions(interval, share, maxKeys);
  }

  /**
   * Returns these options with another {@link #share}.
   *
   * @throws IllegalArgumentException if it is less than 2
   */
  public ConsistencyOptions withShare(int share) {
    return new ConsistencyOptions(syncInterval, share, maxKeys);
  }

  /**
   * Returns these options with another maximum number of local counters.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public ConsistencyOptions withMaxKeys(int maxKeys) {
    return new ConsistencyOptions(syncInterval, share, maxKeys);
  }

  /** Returns how often an instance reports the local counts of eventual rules to the store. */
  public Duration syncInterval() {
    return syncInterval;
  }

  /**
   * Returns the divisor that bounds the permits of one instance: it holds at most {@code 1/share}
   * of a limit. With many instances it holds less, since all of them together hold at most half of
   * the limit.
   */
  public int share() {
    return share;
  }

  /** Returns the maximum number of local counters; further counters are decided strictly. */
  public int maxKeys() {
    return maxKeys;
  }
}
