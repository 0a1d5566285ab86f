package io.headgate.limit;

import java.util.Arrays;
import java.util.Objects;

/**
 * What was taken in the current piece of time and in the {@code buckets} pieces before it.
 *
 * <p>A class rather than a record because it holds an array, which it never changes.
 */
public final class SlidingState implements State {
  private final long piece;
  private final long[] counts; // oldest first; the last is the current piece's
  private final long total;
  private final long width;
  private final long permits;

  private SlidingState(long piece, long[] counts, long total, long width, long permits) {
    this.piece = piece;
    this.counts = counts;
    this.total = total;
    this.width = width;
    this.permits = permits;
  }

  static SlidingState with(long taken, long piece, int buckets, long width, long permits) {
    var counts = new long[buckets + 1];
    counts[buckets] = taken;
    return new SlidingState(piece, counts, taken, width, permits);
  }

  /**
   * A state that was kept elsewhere.
   *
   * @param piece the current one, by its number since the epoch
   * @param width of a piece, in microseconds
   * @param permits of the limit that wrote this
   * @param counts of the pieces, oldest first
   */
  public static SlidingState of(long piece, long width, long permits, long[] counts) {
    return new SlidingState(piece, counts.clone(), Arrays.stream(counts).sum(), width, permits);
  }

  boolean hasShape(int buckets, long width, long permits) {
    return counts.length == buckets + 1 && this.width == width && this.permits == permits;
  }

  /** The same counts as seen from a later piece; an earlier one changes nothing. */
  SlidingState advanceTo(long later) {
    if (later <= piece) return this;
    int by = (int) Math.min(later - piece, counts.length);
    var moved = new long[counts.length];
    System.arraycopy(counts, by, moved, 0, counts.length - by);
    long kept = 0;
    for (long count : moved) kept += count;
    return new SlidingState(later, moved, kept, width, permits);
  }

  SlidingState plus(long cost) {
    var next = counts.clone();
    next[next.length - 1] += cost;
    return new SlidingState(piece, next, total + cost, width, permits);
  }

  /** When the current piece began. */
  long start() {
    return piece * width;
  }

  long total() {
    return total;
  }

  long newest() {
    return counts[counts.length - 1];
  }

  /** The count that will be the oldest when {@code ahead} more pieces have begun. */
  long oldest(int ahead) {
    return ahead < counts.length ? counts[ahead] : 0;
  }

  @Override
  public long freshAt() {
    for (int i = counts.length - 1; i >= 0; i--) {
      if (counts[i] > 0) return (piece + i + 1) * width;
    }
    return Long.MIN_VALUE;
  }

  /** Of the whole counts: a little more than an interpolating limit would say, never less. */
  @Override
  public long used(long now) {
    return Utilization.of(advanceTo(Math.floorDiv(now, width)).total, permits);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SlidingState state
        && piece == state.piece
        && width == state.width
        && permits == state.permits
        && Arrays.equals(counts, state.counts);
  }

  @Override
  public int hashCode() {
    return Objects.hash(piece, width, permits, Arrays.hashCode(counts));
  }

  @Override
  public String toString() {
    return "SlidingState[piece=%d, width=%d, permits=%d, counts=%s]"
        .formatted(piece, width, permits, Arrays.toString(counts));
  }
}
