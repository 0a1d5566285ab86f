package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sliding window counter: approximates a rolling window by a fixed number of counts.
 *
 * <p>The window is divided into {@code buckets}. It usually begins inside a bucket, the oldest, of
 * which only the total is known. {@link Bound#INTERPOLATED} assumes that the oldest bucket was
 * filled evenly, which is smooth and admits at most {@code permits} in any {@code window x (1 -
 * 1/buckets)}. {@link Bound#CONSERVATIVE} counts the oldest bucket in full, which admits at most
 * {@code permits} in any window, and on average somewhat less.
 *
 * <p>A class rather than a record because it precomputes the width of a bucket and the reciprocal
 * by which a time is divided.
 */
public final class SlidingWindow implements Holdable {
  /** The number of buckets of a limit that sets none. */
  public static final int DEFAULT_BUCKETS = 10;

  /** The highest number of buckets. */
  public static final int MAX_BUCKETS = 1_000;

  /** How the oldest bucket is counted. */
  public enum Bound {
    /** In proportion to its overlap with the window. */
    INTERPOLATED,
    /** In full. */
    CONSERVATIVE
  }

  private final Rate rate;
  private final int buckets;
  private final Bound bound;
  private final SlidingShape shape;
  private final FastDivision byWidth;

  /**
   * Creates a limit.
   *
   * @param rate the permits and the length of the window
   * @param buckets 1 to {@link #MAX_BUCKETS}; must divide the window into whole microseconds
   * @param bound how the oldest bucket is counted
   * @throws IllegalArgumentException if a parameter is out of range
   */
  public SlidingWindow(Rate rate, int buckets, Bound bound) {
    require(
        buckets >= 1 && buckets <= MAX_BUCKETS,
        "buckets must be 1 to %d, got %d",
        MAX_BUCKETS,
        buckets);
    require(
        rate.periodMicros() % buckets == 0,
        "a window of %s can't be divided into %d buckets of whole microseconds; set buckets to %d",
        rate.period(),
        buckets,
        nearestDivisor(rate.periodMicros(), buckets));
    Bounds.product(
        rate.permits(),
        rate.periodMicros() / buckets,
        "%s in %d buckets can't be counted exactly (permits x bucket exceeds 2^53 µs);"
            + " use more buckets",
        rate,
        buckets);
    this.rate = rate;
    this.buckets = buckets;
    this.bound = bound;
    this.shape = new SlidingShape(buckets, rate.periodMicros() / buckets, rate.permits());
    this.byWidth = FastDivision.of(shape.width);
  }

  /**
   * Creates an interpolating limit with {@link #DEFAULT_BUCKETS}.
   *
   * @throws IllegalArgumentException if the rate can't be counted exactly in that many buckets; the
   *     constructor takes another number
   */
  public static SlidingWindow of(Rate rate) {
    return new SlidingWindow(rate, DEFAULT_BUCKETS, Bound.INTERPOLATED);
  }

  /** Returns the permits and the length of the window. */
  public Rate rate() {
    return rate;
  }

  /** Returns the number of buckets of a window. */
  public int buckets() {
    return buckets;
  }

  /** Returns how the oldest bucket is counted. */
  public Bound bound() {
    return bound;
  }

  /**
   * Returns the highest count of a bucket with which a state takes no more memory than a fresh one;
   * 0 if there are too many buckets.
   */
  public long maxPackedCount() {
    return shape.mask;
  }

  /**
   * Returns this limit with another number of buckets.
   *
   * @throws IllegalArgumentException if the window can't be divided into that many buckets or the
   *     rate can't be counted exactly in them
   */
  public SlidingWindow withBuckets(int buckets) {
    return new SlidingWindow(rate, buckets, bound);
  }

  /** Returns this limit with another way to count the oldest bucket. */
  public SlidingWindow withBound(Bound bound) {
    return new SlidingWindow(rate, buckets, bound);
  }

  @Override
  public Step step(State state, long now, long cost) {
    var counts = adopt(state, now);
    long time = Math.max(now, counts.start()); // if the clock stepped back, the bucket stays
    long left = left(counts, time);
    long resetAfter = Math.max(now, counts.freshAt()) - now;
    if (cost > capacity()) {
      return new Step(counts, new ExceedsCapacity(left, resetAfter, cost, capacity()));
    }
    if (cost > left) {
      return new Step(counts, new Refused(left, resetAfter, fitsAt(counts, time, cost) - now));
    }
    if (cost == 0) return new Step(counts, new Passed(left, resetAfter, 0));
    var next = counts.plus(cost);
    return new Step(next, new Passed(left - cost, next.freshAt() - now, 0));
  }

  @Override
  public SlidingState adopt(State state, long now) {
    long bucket = bucketAt(now);
    if (state instanceof SlidingState own && own.hasShape(shape)) return own.advanceTo(bucket);
    long taken = Utilization.scale(state.used(now), capacity());
    return SlidingState.with(taken, bucket, shape);
  }

  /**
   * Returns the state with these counts, oldest first, which the caller must not use any more.
   *
   * @param bucket the number of the current bucket since the epoch
   */
  SlidingState stateOf(long bucket, long[] counts) {
    return SlidingState.of(shape, bucket, counts);
  }

  private long bucketAt(long now) {
    return now >>> FastDivision.DIVIDEND_BITS == 0
        ? byWidth.floor(now)
        : Math.floorDiv(now, shape.width);
  }

  /**
   * Caps the cost so that the count of a bucket can be weighed exactly; the cap is at least the
   * capacity.
   */
  @Override
  public SlidingState charged(State state, long now, long cost) {
    var counts = adopt(state, now);
    return counts.plus(chargeable(counts, cost));
  }

  @Override
  public long chargeable(State state, long now, long cost) {
    return chargeable(adopt(state, now), cost);
  }

  private long chargeable(SlidingState counts, long cost) {
    long countable =
        Math.min(Bounds.MAX / shape.width - counts.newest(), Bounds.MAX - counts.total());
    return Math.clamp(countable, 0, cost);
  }

  @Override
  public boolean isOwn(State state) {
    return state instanceof SlidingState own && own.hasShape(shape);
  }

  @Override
  public SlidingWindow dividedBy(int n) {
    long part = Utilization.partOf(n, capacity());
    return n == 1 ? this : new SlidingWindow(Rate.of(part, rate.period()), buckets, bound);
  }

  @Override
  public @Nullable SlidingWindow partOf(int permille) {
    long part = Utilization.partOf(capacity(), permille);
    if (part == 0) return null;
    return part == capacity()
        ? this
        : new SlidingWindow(Rate.of(part, rate.period()), buckets, bound);
  }

  @Override
  public long capacity() {
    return rate.permits();
  }

  @Override
  public long window() {
    return rate.periodMicros();
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.SLIDING_WINDOW;
  }

  private long left(SlidingState counts, long time) {
    long oldest = counts.oldest(0);
    long inside = counts.total() - oldest;
    return switch (bound) {
      case CONSERVATIVE -> Math.max(0, capacity() - inside - oldest);
      case INTERPOLATED -> {
        long overlap = shape.width - (time - counts.start());
        yield Math.max(0, capacity() - inside - byWidth.ceil(oldest * overlap));
      }
    };
  }

  /** Returns when {@code cost} fits if no other request arrives, by trying bucket after bucket. */
  private long fitsAt(SlidingState counts, long time, long cost) {
    long width = shape.width;
    long room = capacity() - cost;
    long inside = counts.total();
    for (int ahead = 0; ; ahead++) {
      long start = counts.start() + ahead * width;
      long oldest = counts.oldest(ahead);
      inside -= oldest;
      switch (bound) {
        case CONSERVATIVE -> {
          if (inside + oldest <= room) return Math.max(time, start);
        }
        case INTERPOLATED -> {
          if (inside <= room) {
            long overlap = oldest == 0 ? width : Math.min(width, (room - inside) * width / oldest);
            return Math.max(time, start + width - overlap);
          }
        }
      }
    }
  }

  private static int nearestDivisor(long period, int wanted) {
    for (int distance = 1; distance < wanted; distance++) {
      int more = wanted + distance;
      if (more <= MAX_BUCKETS && period % more == 0) return more;
      if (period % (wanted - distance) == 0) return wanted - distance;
    }
    return 1;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SlidingWindow window
        && rate.equals(window.rate)
        && buckets == window.buckets
        && bound == window.bound;
  }

  @Override
  public int hashCode() {
    return Objects.hash(rate, buckets, bound);
  }

  @Override
  public String toString() {
    return "SlidingWindow[rate=%s, buckets=%d, bound=%s]".formatted(rate, buckets, bound);
  }
}
