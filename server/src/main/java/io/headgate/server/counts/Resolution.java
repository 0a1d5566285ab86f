package io.headgate.server.counts;

import java.util.Optional;

/**
 * A range of time that is kept, in buckets of equal length. Buckets are aligned to the epoch: a
 * bucket of 10 s begins at a multiple of 10 s.
 */
public enum Resolution {
  SECONDS("5m", 1, 300),
  TEN_SECONDS("1h", 10, 360),
  MINUTES("24h", 60, 1_440);

  private final String range;
  private final int bucketSeconds;
  private final int buckets;

  Resolution(String range, int bucketSeconds, int buckets) {
    this.range = range;
    this.bucketSeconds = bucketSeconds;
    this.buckets = buckets;
  }

  /** Returns the resolution of a range such as {@code 1h}; empty if there is none. */
  public static Optional<Resolution> ofRange(String range) {
    for (var resolution : values()) {
      if (resolution.range.equals(range)) return Optional.of(resolution);
    }
    return Optional.empty();
  }

  /** Returns the length of all buckets together, as text: {@code 5m}, {@code 1h} or {@code 24h}. */
  public String range() {
    return range;
  }

  /** Returns the length of a bucket in seconds. */
  public int bucketSeconds() {
    return bucketSeconds;
  }

  /** Returns the number of buckets. */
  public int buckets() {
    return buckets;
  }

  /** Returns the first second of the oldest bucket that is kept at second {@code last}. */
  public long oldest(long last) {
    return (bucket(last) - buckets + 1) * bucketSeconds;
  }

  long bucket(long second) {
    return Math.floorDiv(second, (long) bucketSeconds);
  }
}
