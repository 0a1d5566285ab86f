package io.headgate.store;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.State;
import io.headgate.limit.Window;
import io.headgate.limit.WindowState;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import org.jspecify.annotations.Nullable;

/**
 * Stores the state of a fixed window that is aligned to the epoch: the number of the window since
 * then, and the count in the bits that it leaves.
 *
 * <p>For windows of a second that is 30 bits, for a minute 36. Windows with more permits, and
 * calendar windows, use a {@link StateCell}.
 */
final class WindowCell extends WordCell {
  private static final int STATE_BITS = 62;

  WindowCell(Counter counter, String key) {
    super(counter, key);
  }

  /** Returns whether all states of the limit fit into a word. */
  static boolean holds(Limit limit) {
    return limit instanceof FixedWindow window
        && window.alignment() instanceof Window.Epoch epoch
        && window.permits() < 1L << countBits(epoch.maxLength());
  }

  /**
   * Returns the number of bits beside the number of the last window that can begin, which is {@code
   * LATEST / length + 1}. Avoids the division: this is called for every request.
   */
  private static int countBits(long length) {
    int bits = Long.numberOfLeadingZeros(length) - Long.numberOfLeadingZeros(LATEST);
    while (((1L << bits) - 1) * length <= LATEST) bits++;
    return STATE_BITS - bits;
  }

  @Override
  @Nullable Outcome tryDecide(long seen, Charge charge, long now) {
    var limit = (FixedWindow) charge.limit(); // equal to that of this cell
    long length = limit.alignment().maxLength();
    long cost = charge.cost();
    long left = leftInWindow(seen, limit.permits(), length, now);
    if (cost > 0 && cost <= left) {
      return replace(seen, plus(seen, cost)) ? passed(seen, length, now, left - cost) : null;
    }
    var step = limit.step(unpack(seen, limit.permits(), length), now, cost);
    var outcome = step.outcome();
    long next = flagged(pack(step.state(), length), outcome instanceof Refused);
    return replace(seen, next) ? outcome : null;
  }

  @Override
  long charged(long seen, Charge charge, long now) {
    var limit = (FixedWindow) charge.limit();
    long length = limit.alignment().maxLength();
    long cost = charge.cost();
    if (cost > 0 && cost <= leftInWindow(seen, limit.permits(), length, now)) {
      return plus(seen, cost);
    }
    var step = limit.step(unpack(seen, limit.permits(), length), now, cost);
    return step.outcome() instanceof Passed ? pack(step.state(), length) : NOT_PASSED;
  }

  @Override
  Outcome passed(long seen, Charge charge, long now) {
    var limit = (FixedWindow) charge.limit();
    long length = limit.alignment().maxLength();
    long cost = charge.cost();
    long left = leftInWindow(seen, limit.permits(), length, now);
    return cost > 0 && cost <= left
        ? passed(seen, length, now, left - cost)
        : limit.step(unpack(seen, limit.permits(), length), now, cost).outcome();
  }

  /**
   * Returns the permits that are left if {@code now} is before the end of the window in the word;
   * otherwise 0. This is the most frequent case, in which a charge adds to the word and nothing has
   * to be divided. {@link FixedWindow#step} decides the others.
   */
  private static long leftInWindow(long word, long permits, long length, long now) {
    long state = word >>> FLAG_BITS;
    int bits = countBits(length);
    return now < (state >>> bits) * length ? permits - (state & ((1L << bits) - 1)) : 0;
  }

  private static long plus(long word, long cost) {
    return ((word >>> FLAG_BITS) + cost) << FLAG_BITS;
  }

  private static Passed passed(long word, long length, long now, long left) {
    long end = (word >>> FLAG_BITS >>> countBits(length)) * length;
    return new Passed(left, end - now, 0);
  }

  @Override
  State decode(long word) {
    var limit = (FixedWindow) counter.limit();
    return unpack(word, limit.permits(), limit.alignment().maxLength());
  }

  @Override
  long encode(State state) {
    return pack(state, ((FixedWindow) counter.limit()).alignment().maxLength());
  }

  private static State unpack(long word, long permits, long length) {
    long state = word >>> FLAG_BITS;
    if (state == 0) return State.FRESH;
    int bits = countBits(length);
    long end = (state >>> bits) * length;
    long count = state & ((1L << bits) - 1);
    return new WindowState(end, count, permits, length);
  }

  private static long pack(State state, long length) {
    if (state instanceof State.Fresh) return 0;
    if (state instanceof WindowState window) {
      int bits = countBits(length);
      // A clock that was set back may leave a window in the future, but none after the last.
      if (window.count() >>> bits == 0 && window.end() <= LATEST + length) {
        return (((window.end() / length) << bits) | window.count()) << FLAG_BITS;
      }
    }
    throw new IllegalStateException("a word of window states can't store " + state);
  }
}
