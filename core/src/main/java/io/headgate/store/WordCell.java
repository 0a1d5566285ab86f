package io.headgate.store;

import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Stores a state in one 64-bit word, which a single compare-and-set replaces. Needs no lock for
 * plans of one charge, and no object beside the cell.
 *
 * <p>The layout from the highest bit: the sign, which is 0; the state, as the subclass encodes it;
 * 1 flag. A fresh state is encoded as 0. Negative words stand for a locked or dead cell.
 */
abstract sealed class WordCell extends Cell permits BucketCell, WindowCell {
  static final int FLAG_BITS = 1;

  /** The latest time at which every state that fits has ended within 52 bits. */
  static final long LATEST = (1L << 52) - BucketCell.MAX_DRAIN;

  /** With a state: the last request was refused. Without a state: the cell is unused. */
  private static final long FLAG = 1;

  private static final long UNUSED = FLAG;
  private static final long LOCKED = -2; // -1 with the flag, which survives the lock
  private static final long DEAD = -4;
  private static final VarHandle WORD;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(WordCell.class, "word", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile long word = UNUSED;

  WordCell(Counter counter, String key) {
    super(counter, key);
  }

  /** Returns the state of a word without its flag. */
  abstract State decode(long word);

  /** Returns the word of a state, without the flag. */
  abstract long encode(State state);

  /**
   * Accepts charges under the cell's own limit only, since the word does not record the limit that
   * wrote it. Equal counters may have different limits, so the counters are compared by identity
   * first and then by limit.
   */
  @Override
  @SuppressWarnings("ReferenceEquality")
  final boolean accepts(Charge charge) {
    return charge.counter() == counter || charge.limit().equals(counter.limit());
  }

  /** Returns the word, negative if the cell is locked or dead. */
  final long word() {
    return word;
  }

  /** Replaces a word that {@link #word} returned; false if it has changed. */
  final boolean replace(long seen, long next) {
    return next == seen || WORD.compareAndSet(this, seen, next);
  }

  static boolean isDead(long word) {
    return word == DEAD;
  }

  /** Returns the word of an encoded state, with the flag if the request was refused. */
  static long flagged(long encoded, boolean refused) {
    return encoded != 0 && refused ? encoded | FLAG : encoded;
  }

  @Override
  final @Nullable State tryLock() {
    for (int turns = 0; turns < SPINS; turns = pause(turns)) {
      long seen = word;
      if (seen >= 0 && WORD.compareAndSet(this, seen, LOCKED | (seen & FLAG))) {
        return decode(seen & ~FLAG);
      }
      if (seen == DEAD) return null;
    }
    return null;
  }

  @Override
  final void unlock(State state, boolean refused) {
    WORD.setRelease(this, flagged(encode(state), refused)); // as StateCell.unlock
  }

  @Override
  final void restore(State state) {
    word = encode(state) | (word & FLAG);
  }

  @Override
  final boolean isDead() {
    return word == DEAD;
  }

  @Override
  final void markDead() {
    word = DEAD;
  }

  @Override
  final boolean isUnused() {
    return word == UNUSED;
  }

  @Override
  final boolean isRefused() {
    long seen = word;
    return (seen & FLAG) != 0 && seen != UNUSED;
  }

  @Override
  final State read() {
    for (int turns = 0; ; turns = pause(turns)) {
      long seen = word;
      if (seen >= 0) return decode(seen & ~FLAG);
      if (seen == DEAD) return State.FRESH;
    }
  }
}
