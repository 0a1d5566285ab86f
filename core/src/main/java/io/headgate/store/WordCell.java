package io.headgate.store;

import io.headgate.limit.Outcome;
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
  private static final long STUCK = -6; // -5 with the flag

  /** Returned by {@link #charged} in place of a word. */
  static final long NOT_PASSED = -1;

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

  /** Returns the state of a word, whose flag is ignored. */
  abstract State decode(long word);

  /**
   * Returns the word of a state, without the flag.
   *
   * @throws IllegalStateException if the state does not fit into a word
   */
  abstract long encode(State state);

  /**
   * Decides one charge, given the word that was seen.
   *
   * @return the outcome, or null if the word has changed meanwhile
   */
  abstract @Nullable Outcome tryDecide(long seen, Charge charge, long now);

  /**
   * Returns the word after one charge of several, or {@link #NOT_PASSED} if the limit does not
   * pass. Changes nothing.
   */
  abstract long charged(long seen, Charge charge, long now);

  /** Returns the outcome of a charge that passes, given the word before it. */
  abstract Outcome passed(long seen, Charge charge, long now);

  @Override
  final @Nullable Outcome decide(Charge charge, long now) {
    long seen = word;
    if (seen >= 0) {
      var outcome = tryDecide(seen, charge, now);
      if (outcome != null) return outcome;
    }
    return decideContended(charge, now);
  }

  /** Retries a decision that another thread has interfered with. */
  private @Nullable Outcome decideContended(Charge charge, long now) {
    LockWait wait = null;
    for (int turns = 0; ; ) {
      turns = pause(turns); // an immediate retry would add contention
      long seen = word;
      if (seen >= 0) {
        var outcome = tryDecide(seen, charge, now);
        if (outcome != null) return outcome;
      } else if (seen == DEAD) {
        return null;
      } else if (turns >= SPINS) {
        wait = LockWait.next(wait, this);
      }
    }
  }

  /**
   * Accepts charges under the cell's own limit only, since the word does not record the limit that
   * wrote it. Equal counters may have different limits, so the counters are compared by identity
   * first and then by limit.
   */
  @Override
  final boolean accepts(Charge charge) {
    return hasCounter(charge.counter()) || charge.limit().equals(counter.limit());
  }

  /** Replaces a word that was seen; false if it has changed. */
  final boolean replace(long seen, long next) {
    return next == seen || swap(seen, next);
  }

  /** Replaces a word that was seen by a different one; false if it has changed. */
  final boolean swap(long seen, long next) {
    return WORD.compareAndSet(this, seen, next);
  }

  /** Returns the word of an encoded state, with the flag if the request was refused. */
  static long flagged(long encoded, boolean refused) {
    return encoded != 0 && refused ? encoded | FLAG : encoded;
  }

  @Override
  final @Nullable State tryLock() {
    long seen = tryLockWord();
    return seen < 0 ? null : decode(seen);
  }

  /**
   * Locks the cell as {@link #tryLock} does, until {@link #unlockWord}.
   *
   * @return the word, negative if the cell could not be locked
   */
  final long tryLockWord() {
    for (int turns = 0; turns < SPINS; turns = pause(turns)) {
      long seen = word;
      if (seen >= 0 && WORD.compareAndSet(this, seen, LOCKED | (seen & FLAG))) return seen;
      if (seen == DEAD || isStuck(seen)) break;
    }
    return DEAD;
  }

  /** Unlocks the cell with a word. */
  final void unlockWord(long next) {
    WORD.setRelease(this, next); // as StateCell.unlock
  }

  @Override
  final void unlock(State state, boolean refused) {
    unlockWord(flagged(encode(state), refused));
  }

  @Override
  final void restore(State state) {
    unlockWord(encode(state) | (word & FLAG));
  }

  @Override
  final boolean isLocked() {
    long seen = word;
    return seen < 0 && seen != DEAD;
  }

  @Override
  final boolean isStuck() {
    return isStuck(word);
  }

  private static boolean isStuck(long word) {
    return (word & ~FLAG) == STUCK;
  }

  @Override
  final boolean markStuck() {
    long seen = word;
    return isStuck(seen)
        || ((seen & ~FLAG) == LOCKED && WORD.compareAndSet(this, seen, STUCK | (seen & FLAG)));
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
  final @Nullable State read() {
    long seen = word;
    if (seen >= 0) return decode(seen);
    return seen == DEAD ? State.FRESH : null;
  }
}
