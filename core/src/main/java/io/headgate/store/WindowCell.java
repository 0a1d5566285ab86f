package io.headgate.store;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
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

  /** Returns the number of bits beside the number of the last window that can begin. */
  private static int countBits(long length) {
    return STATE_BITS - (Long.SIZE - Long.numberOfLeadingZeros(LATEST / length + 1));
  }

  @Override
  @Nullable Outcome decide(Charge charge, long now) {
    var limit = (FixedWindow) charge.limit(); // equal to that of this cell
    long length = limit.alignment().maxLength();
    for (int turns = 0; ; turns = pause(turns)) {
      long seen = word();
      if (seen >= 0) {
        var step = limit.step(unpack(seen, limit.permits(), length), now, charge.cost());
        var outcome = step.outcome();
        long next = flagged(pack(step.state(), length), outcome instanceof Refused);
        if (replace(seen, next)) return outcome;
      } else if (isDead(seen)) {
        return null;
      }
    }
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
    if (state instanceof WindowState window) {
      long number = window.end() / length;
      return (number << countBits(length) | window.count()) << FLAG_BITS;
    }
    if (state instanceof State.Fresh) return 0;
    throw new IllegalStateException("a cell of window states can't store " + state);
  }
}
