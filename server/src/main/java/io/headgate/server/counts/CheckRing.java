package io.headgate.server.counts;

import java.util.ArrayList;

/** The checks of each bucket of a {@link Resolution}. Not thread-safe. */
public final class CheckRing {
  private static final int CHECKS = 0;
  private static final int ALLOWED = 1;
  private static final int DENIED = 2;
  private static final int SHADOW_DENIED = 3;
  private static final int DEGRADED = 4;
  private static final int DELAYED = 5;
  private static final int UNMATCHED = 6;
  private static final int COLUMNS = 7;

  private final Resolution resolution;
  private final BucketRing ring;

  /**
   * @param second a second of the newest bucket
   */
  public CheckRing(Resolution resolution, long second) {
    this.resolution = resolution;
    this.ring = new BucketRing(resolution, second, COLUMNS);
  }

  /** Returns whether no bucket of this ring is kept at this second. */
  public boolean isExpired(long second) {
    return ring.isExpired(second);
  }

  /** Returns the first second of the newest bucket. */
  public long newest() {
    return ring.newest();
  }

  /** Advances the ring to this second and clears the buckets it reuses. */
  public void advance(long second) {
    ring.advance(second);
  }

  /**
   * Adds to the bucket of a second, advancing the ring if it is newer. Ignored if the bucket has
   * left the ring.
   */
  public void add(long second, OutcomeCounts outcomes) {
    ring.add(second, CHECKS, outcomes.checks);
    ring.add(second, ALLOWED, outcomes.allowed);
    ring.add(second, DENIED, outcomes.denied);
    ring.add(second, SHADOW_DENIED, outcomes.shadowDenied);
    ring.add(second, DEGRADED, outcomes.degraded);
    ring.add(second, DELAYED, outcomes.delayed);
    ring.add(second, UNMATCHED, outcomes.unmatched);
  }

  /** Adds the counts of another ring of the same resolution. */
  public void addAll(CheckRing other) {
    ring.addAll(other.ring);
  }

  /** Returns the counts of the bucket of a second, or zeros if it is not in the ring. */
  public CheckCounts at(long second) {
    return new CheckCounts(
        ring.at(second, CHECKS),
        ring.at(second, ALLOWED),
        ring.at(second, DENIED),
        ring.at(second, SHADOW_DENIED),
        ring.at(second, DEGRADED),
        ring.at(second, DELAYED),
        ring.at(second, UNMATCHED));
  }

  /** Returns the sums of the given number of buckets up to that of second {@code last}. */
  public CheckCounts sum(long last, int buckets) {
    var sum = CheckCounts.NONE;
    for (int age = buckets - 1; age >= 0; age--) {
      sum = sum.plus(at(last - (long) age * resolution.bucketSeconds()));
    }
    return sum;
  }

  /** Returns all buckets up to that of second {@code last}. */
  public CheckSeries series(long last) {
    var buckets = new ArrayList<CheckCounts>(resolution.buckets());
    long oldest = resolution.oldest(last);
    for (int i = 0; i < resolution.buckets(); i++) {
      buckets.add(at(oldest + (long) i * resolution.bucketSeconds()));
    }
    return new CheckSeries(resolution, oldest, last, buckets);
  }

  long bytes() {
    return ring.bytes();
  }
}
