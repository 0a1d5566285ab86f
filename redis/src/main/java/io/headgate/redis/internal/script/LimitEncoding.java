package io.headgate.redis.internal.script;

import io.headgate.limit.Bucket;
import io.headgate.limit.BucketState;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingState;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.limit.WindowState;
import java.util.Arrays;

/** A limit as the seven numbers by which the script knows it; each algorithm's file names them. */
final class LimitEncoding {
  private static final int COUNT = 7;
  private static final int BUCKET = 1;
  private static final int FIXED = 2;
  private static final int SLIDING = 3;
  private static final int ROLLING = 4;
  private static final int SLOTS = 5;

  /**
   * @param now the server's time, as far as it is known here, from which the ends of calendar
   *     windows are found
   */
  static long[] of(Limit limit, long now) {
    return switch (limit) {
      case TokenBucket bucket -> bucket(bucket.bucket());
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
        bucket.drain(),
        bucket.queues() ? 1 : 0);
  }

  private static long[] fixed(FixedWindow limit, long now) {
    var cut = limit.cut();
    return switch (cut) {
      case Window.Epoch epoch -> numbers(FIXED, limit.permits(), cut.signature(), epoch.longest());
      case Window.Calendar calendar -> {
        long end = cut.endAfter(now);
        yield numbers(
            FIXED, limit.permits(), cut.signature(), 0, start(cut, now), end, cut.endAfter(end));
      }
    };
  }

  /**
   * The server has no calendar, so it is sent three ends: of the window before {@code now}, of the
   * one around it and of the next. It decides nothing unless its clock is between these.
   */
  private static long start(Window cut, long now) {
    long start = cut.endAfter(Math.max(0, now - cut.longest()));
    for (long next = start; next <= now; next = cut.endAfter(next)) start = next;
    return start;
  }

  /** The state that the script has said: its algorithm, how many numbers follow, and these. */
  static State state(MessagePackReader said) {
    int kind = (int) said.next();
    var numbers = new long[(int) said.next()];
    for (int i = 0; i < numbers.length; i++) numbers[i] = said.next();
    return switch (kind) {
      case BUCKET -> new BucketState(numbers[0], numbers[1], numbers[2]);
      case FIXED -> new WindowState(numbers[0], numbers[1], numbers[2], numbers[3]);
      case SLIDING ->
          SlidingState.of(
              numbers[0], numbers[1], numbers[2], Arrays.copyOfRange(numbers, 3, numbers.length));
      default -> throw new IllegalStateException("the script said a state of kind " + kind);
    };
  }

  /** The state that the script has found, of which it says what the limit does not tell. */
  static State found(Limit limit, long first, long second) {
    return switch (limit) {
      case TokenBucket bucket -> new BucketState(first, second, bucket.bucket().drain());
      case LeakyBucket bucket -> new BucketState(first, second, bucket.bucket().drain());
      case FixedWindow window ->
          new WindowState(first, second, window.permits(), window.cut().signature());
      case SlidingWindow window -> throw unheardOf(window);
      case RollingWindow window -> throw unheardOf(window);
      case Concurrency slots -> throw unheardOf(slots);
    };
  }

  private static IllegalStateException unheardOf(Limit limit) {
    return new IllegalStateException("the script says all of " + limit);
  }

  private static long[] numbers(long... numbers) {
    return Arrays.copyOf(numbers, COUNT);
  }

  private LimitEncoding() {}
}
