package io.headgate.internal.script;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Bucket;
import io.headgate.limit.BucketState;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairBucket;
import io.headgate.limit.FairShare;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingState;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.State;
import io.headgate.limit.Stateless;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.limit.WindowState;
import java.util.Arrays;

/** Encodes limits for the script, as seven numbers that the Lua file of each algorithm names. */
final class LimitEncoding {
  static final int COUNT = 7;
  static final int UNIT = 4; // the first of the numbers of a calendar window
  static final int BUCKET = 1;
  static final int FIXED = 2;
  static final int SLIDING = 3;
  static final int ROLLING = 4;
  static final int SLOTS = 5;
  static final int FAIR = 7; // 6 is a state with holds

  /**
   * Encodes a limit.
   *
   * @param now the estimated server time, from which the ends of calendar windows are computed
   */
  static long[] of(Limit limit, long now) {
    return switch (limit) {
      case TokenBucket bucket -> {
        var numbers = bucket(bucket.bucket());
        if (bucket.boundsDebt()) numbers[COUNT - 1] = -1 - bucket.maxDebt();
        yield numbers;
      }
      case LeakyBucket bucket -> bucket(bucket.bucket());
      case FixedWindow window -> fixed(window, now);
      case SlidingWindow window ->
          numbers(
              SLIDING,
              window.capacity(),
              window.buckets(),
              window.window() / window.buckets(),
              window.bound() == SlidingWindow.Bound.CONSERVATIVE ? 1 : 0);
      case RollingWindow window ->
          numbers(
              ROLLING, window.capacity(), window.window(), window.minInterval().toNanos() / 1_000);
      case Concurrency slots -> numbers(SLOTS, slots.max(), slots.window());
      case AdaptiveConcurrency slots ->
          numbers(SLOTS, slots.max(), slots.window(), slots.min(), slots.initial());
      case FairShare fair -> fair(fair.arithmetic());
      case Stateless stateless -> throw noState(stateless);
    };
  }

  /** Returns the number of a calendar unit. */
  static int code(Window.Unit unit) {
    return switch (unit) {
      case HOUR -> 0;
      case DAY -> 1;
      case WEEK -> 2;
      case MONTH -> 3;
      case YEAR -> 4;
    };
  }

  private static long[] bucket(Bucket bucket) {
    var rate = bucket.rate();
    return numbers(
        BUCKET,
        rate.permitsInLowestTerms(),
        rate.periodInLowestTerms(),
        bucket.units(),
        bucket.capacity(),
        bucket.refillTime(),
        bucket.queues() ? 1 : 0);
  }

  private static long[] fair(FairBucket fair) {
    var pool = bucket(fair.pool());
    pool[0] = FAIR;
    pool[COUNT - 1] = fair.scale();
    return pool;
  }

  private static long[] fixed(FixedWindow limit, long now) {
    var alignment = limit.alignment();
    return switch (alignment) {
      case Window.Epoch epoch ->
          numbers(FIXED, limit.permits(), alignment.signature(), epoch.maxLength());
      case Window.Calendar calendar -> {
        long end = alignment.endAfter(now);
        yield numbers(
            FIXED,
            limit.permits(),
            alignment.signature(),
            0,
            start(alignment, now),
            end,
            alignment.endAfter(end));
      }
    };
  }

  /**
   * Returns the start of the calendar window around {@code now}. The server has no calendar, so it
   * receives three ends of windows: of the one before {@code now}, of the one around it and of the
   * next. It executes nothing unless its clock is between the first and the last.
   */
  private static long start(Window alignment, long now) {
    long start = alignment.endAfter(Math.max(0, now - alignment.maxLength()));
    for (long next = start; next <= now; next = alignment.endAfter(next)) start = next;
    return start;
  }

  /** Reads a state: its algorithm, the number of its fields, and these. */
  static State readState(MessagePackReader reply) {
    int kind = (int) reply.next();
    var numbers = new long[(int) reply.next()];
    for (int i = 0; i < numbers.length; i++) numbers[i] = reply.next();
    return switch (kind) {
      case BUCKET -> new BucketState(numbers[0], numbers[1], numbers[2]);
      case FIXED -> new WindowState(numbers[0], numbers[1], numbers[2], numbers[3]);
      case SLIDING ->
          SlidingState.of(
              numbers[0], numbers[1], numbers[2], Arrays.copyOfRange(numbers, 3, numbers.length));
      default ->
          throw new IllegalStateException("unknown algorithm in the reply of the script: " + kind);
    };
  }

  /** Returns a state from the two fields that do not follow from its limit. */
  static State storedState(Limit limit, long first, long second) {
    return switch (limit) {
      case TokenBucket bucket -> new BucketState(first, second, bucket.bucket().refillTime());
      case LeakyBucket bucket -> new BucketState(first, second, bucket.bucket().refillTime());
      case FixedWindow window ->
          new WindowState(first, second, window.permits(), window.alignment().signature());
      case SlidingWindow window -> throw noShortForm(window);
      case RollingWindow window -> throw noShortForm(window);
      case SlotLimit slots -> throw noShortForm(slots);
      case FairShare fair -> throw noShortForm(fair);
      case Stateless stateless -> throw noState(stateless);
    };
  }

  private static IllegalStateException noState(Stateless limit) {
    return new IllegalStateException("a plan for a store has no limit without a state: " + limit);
  }

  private static IllegalStateException noShortForm(Limit limit) {
    return new IllegalStateException("the fast path does not support " + limit);
  }

  private static long[] numbers(long... numbers) {
    return Arrays.copyOf(numbers, COUNT);
  }

  private LimitEncoding() {}
}
