package io.headgate.limit;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The counts of a sliding window: one for the current bucket and one for each of the {@code
 * buckets} before it. Immutable.
 *
 * <p>Small counts are packed into three words as {@link SlidingShape} describes, which takes a
 * third of the memory of an array. If one of the counts is too high for that, all are in an array.
 */
public final class SlidingState implements State {
  private final SlidingShape shape;
  private final long @Nullable [] array; // the counts, oldest first; null if they are packed
  private final int packedTotal;
  private final long bucket;
  private final long first; // the oldest packed counts, the oldest in the lowest bits
  private final long second;
  private final long third;

  private SlidingState(
      SlidingShape shape,
      long bucket,
      long @Nullable [] array,
      int packedTotal,
      long first,
      long second,
      long third) {
    this.shape = shape;
    this.bucket = bucket;
    this.array = array;
    this.packedTotal = packedTotal;
    this.first = first;
    this.second = second;
    this.third = third;
  }

  /** Creates a state whose only count is that of the current bucket. */
  static SlidingState with(long taken, long bucket, SlidingShape shape) {
    return new SlidingState(shape, bucket, null, 0, 0, 0, 0).plus(taken);
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
    return of(new SlidingShape(counts.length - 1, width, permits), bucket, counts.clone());
  }

  /** Creates a state with counts that the caller does not use any more. */
  static SlidingState of(SlidingShape shape, long bucket, long[] counts) {
    var words = new long[SlidingShape.WORDS];
    int total = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] < 0 || counts[i] > shape.mask) {
        return new SlidingState(shape, bucket, counts, 0, 0, 0, 0);
      }
      words[i / shape.perWord] |= counts[i] << ((i % shape.perWord) * shape.bits);
      total += (int) counts[i];
    }
    return new SlidingState(shape, bucket, null, total, words[0], words[1], words[2]);
  }

  boolean hasShape(SlidingShape other) {
    return shape.hasSameParameters(other);
  }

  /** Returns the counts shifted to a later bucket; an earlier one has no effect. */
  SlidingState advanceTo(long later) {
    return later <= bucket ? this : advanced(later);
  }

  private SlidingState advanced(long later) {
    int by = (int) Math.min(later - bucket, shape.size);
    if (array != null) {
      var moved = new long[array.length];
      System.arraycopy(array, by, moved, 0, array.length - by);
      return of(shape, later, moved);
    }
    if (packedTotal == 0 || by == shape.size) {
      return new SlidingState(shape, later, null, 0, 0, 0, 0);
    }
    int total = packedTotal;
    for (int i = 0; i < by; i++) total -= (int) count(i);
    long a = first;
    long b = second;
    long c = third;
    for (; by >= shape.perWord; by -= shape.perWord) {
      a = b;
      b = c;
      c = 0;
    }
    if (by > 0) {
      int down = by * shape.bits;
      int up = (shape.perWord - by) * shape.bits;
      a = ((a >>> down) | (b << up)) & shape.wordMask;
      b = ((b >>> down) | (c << up)) & shape.wordMask;
      c >>>= down;
    }
    return new SlidingState(shape, later, null, total, a, b, c);
  }

  SlidingState plus(long cost) {
    if (array != null || cost > shape.mask - newest()) {
      var next = counts();
      next[shape.buckets] += cost;
      return of(shape, bucket, next);
    }
    int word = shape.newestWord;
    long added = cost << shape.newestShift;
    return new SlidingState(
        shape,
        bucket,
        null,
        packedTotal + (int) cost,
        word == 0 ? first + added : first,
        word == 1 ? second + added : second,
        word == 2 ? third + added : third);
  }

  /** Returns the start of the current bucket in microseconds since the epoch. */
  long start() {
    return bucket * shape.width;
  }

  long bucket() {
    return bucket;
  }

  long width() {
    return shape.width;
  }

  long permits() {
    return shape.permits;
  }

  long[] counts() {
    if (array != null) return array.clone();
    var counts = new long[shape.size];
    for (int i = 0; i < counts.length; i++) counts[i] = count(i);
    return counts;
  }

  private long count(int index) {
    if (array != null) return array[index];
    int at = index;
    long word = first;
    if (at >= shape.perWord) {
      at -= shape.perWord;
      word = second;
    }
    if (at >= shape.perWord) {
      at -= shape.perWord;
      word = third;
    }
    return (word >>> (at * shape.bits)) & shape.mask;
  }

  long total() {
    return array == null ? packedTotal : Arrays.stream(array).sum();
  }

  long newest() {
    if (array != null) return array[shape.buckets];
    long word = shape.newestWord == 2 ? third : shape.newestWord == 1 ? second : first;
    return (word >>> shape.newestShift) & shape.mask;
  }

  /** Returns the count that will be the oldest after {@code ahead} more buckets. */
  long oldest(int ahead) {
    return ahead < shape.size ? count(ahead) : 0;
  }

  @Override
  public long freshAt() {
    if (newest() > 0) return (bucket + shape.size) * shape.width;
    for (int i = shape.buckets - 1; i >= 0; i--) {
      if (count(i) > 0) return (bucket + i + 1) * shape.width;
    }
    return Long.MIN_VALUE;
  }

  /**
   * Counts the oldest bucket in full, so that the result is at least the usage that an
   * interpolating limit computes.
   */
  @Override
  public long used(long now) {
    return Utilization.of(advanceTo(Math.floorDiv(now, shape.width)).total(), shape.permits);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SlidingState state
        && bucket == state.bucket
        && shape.hasSameParameters(state.shape)
        && first == state.first
        && second == state.second
        && third == state.third
        && Arrays.equals(array, state.array);
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        bucket, shape.width, shape.permits, first, second, third, Arrays.hashCode(array));
  }

  @Override
  public String toString() {
    return "SlidingState[bucket=%d, width=%d, permits=%d, counts=%s]"
        .formatted(bucket, shape.width, shape.permits, Arrays.toString(counts()));
  }
}
