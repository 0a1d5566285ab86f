package io.headgate.limit;

import java.util.Arrays;
import java.util.Objects;

/**
 * The counts of a sliding window: one for the current bucket and one for each of the {@code
 * buckets} before it. Immutable.
 *
 * <p>A class rather than a record because it holds an array, which is never modified.
 */
public final class SlidingState implements State {
  private final long bucket;
  private final long[] counts; // oldest first; the last is of the current bucket
  private final long total;
  private final long width;
  private final long permits;

  private SlidingState(long bucket, long[] counts, long total, long width, long permits) {
    this.bucket = bucket;
    this.counts = counts;
    this.total = total;
    this.width = width;
    this.permits = permits;
  }

  static SlidingState with(long taken, long bucket, int buckets, long width, long permits) {
    var counts = new long[buckets + 1];
    counts[buckets] = taken;
    return new SlidingState(bucket, counts, taken, width, permits);
  }

  /**
   * Creates a state from its stored form.
   *
   * @param bucket the number of the current bucket since the epoch
   * @param width the width of a bucket in microseconds
   * @param permits the permits of the limit that wrote the state
   * @param counts the count of each bucket, oldest first
   */
  public static SlidingState of(long bucket, long width, long permits, long[] counts) {
    return new SlidingState(bucket, counts.clone(), Arrays.stream(counts).sum(), width, permits);
  }

  boolean hasShape(int buckets, long width, long permits) {
    return counts.length == buckets + 1 && this.width == width && this.permits == permits;
  }

  /** Returns the counts shifted to a later bucket; an earlier one has no effect. */
  SlidingState advanceTo(long later) {
    if (later <= bucket) return this;
    int by = (int) Math.min(later - bucket, counts.length);
    var moved = new long[counts.length];
    System.arraycopy(counts, by, moved, 0, counts.length - by);
    long kept = 0;
    for (long count : moved) kept += count;
    return new SlidingState(later, moved, kept, width, permits);
  }

  SlidingState plus(long cost) {
    var next = counts.clone();
    next[next.length - 1] += cost;
    return new SlidingState(bucket, next, total + cost, width, permits);
  }

  /** Returns the start of the current bucket in microseconds since the epoch. */
  long start() {
    return bucket * width;
  }

  long bucket() {
    return bucket;
  }

  long width() {
    return width;
  }

  long permits() {
    return permits;
  }

  long[] counts() {
    return counts.clone();
  }

  long total() {
    return total;
  }

  long newest() {
    return counts[counts.length - 1];
  }

  /** Returns the count that will be the oldest after {@code ahead} more buckets. */
  long oldest(int ahead) {
    return ahead < counts.length ? counts[ahead] : 0;
  }

  @Override
  public long freshAt() {
    for (int i = counts.length - 1; i >= 0; i--) {
      if (counts[i] > 0) return (bucket + i + 1) * width;
    }
    return Long.MIN_VALUE;
  }

  /**
   * Counts the oldest bucket in full, so that the result is at least the usage that an
   * interpolating limit computes.
   */
  @Override
  public long used(long now) {
    return Utilization.of(advanceTo(Math.floorDiv(now, width)).total, permits);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SlidingState state
        && bucket == state.bucket
        && width == state.width
        && permits == state.permits
        && Arrays.equals(counts, state.counts);
  }

  @Override
  public int hashCode() {
    return Objects.hash(bucket, width, permits, Arrays.hashCode(counts));
  }

  @Override
  public String toString() {
    return "SlidingState[bucket=%d, width=%d, permits=%d, counts=%s]"
        .formatted(bucket, width, permits, Arrays.toString(counts));
  }
}
