package io.headgate.store;

import io.headgate.limit.Bucket;
import io.headgate.limit.BucketState;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds a bucket's state in one 64-bit word, which a single compare-and-set swaps: no lock, and no
 * object beside the cell.
 *
 * <p>The upper 52 bits are the moment when the debt is repaid (good until the year 2112), the next
 * 10 the slack, the last a note; the sign is left for what is no state. Slack is less than the
 * permits of the rate in lowest terms, so rates up to 1024 in lowest terms fit: 100 per minute is 1
 * per 600 ms, 999 per second stays 999. Others have a {@link StateCell}.
 */
final class WordCell extends Cell {
  private static final int SLACK_BITS = 10;
  private static final long SLACK_MASK = (1L << SLACK_BITS) - 1;
  private static final int NOTE_BITS = 1;
  private static final long LONGEST_DRAIN = 1L << 50; // 35 years

  /** The latest time at which every debt that fits is repaid within 52 bits. */
  static final long LATEST = (1L << 52) - LONGEST_DRAIN;

  private static final long NOTE = 1;
  private static final long UNUSED =
      NOTE; // on a debt the note says: refused; on none: nobody came yet
  private static final long LOCKED = -2; // or -1: the note stays
  private static final long DEAD = -4;
  private static final VarHandle WORD;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(WordCell.class, "word", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile long word = UNUSED; // 0: a debt repaid in 1970, which is none

  WordCell(Counter counter, String key) {
    super(counter, key);
  }

  static boolean holds(Limit limit) {
    var bucket = Bucket.of(limit);
    return bucket != null
        && bucket.rate().permitsInLowestTerms() <= SLACK_MASK + 1
        && bucket.drain() <= LONGEST_DRAIN;
  }

  /**
   * The word does not say by which limit it was written, so that must be the cell's own. Equal
   * counters may have different limits, hence the look at who it is.
   */
  @Override
  @SuppressWarnings("ReferenceEquality")
  boolean suits(Charge charge) {
    return charge.counter() == counter || charge.limit().equals(counter.limit());
  }

  @Override
  @Nullable Outcome take(Charge charge, long now) {
    var bucket = bucketOf(charge.counter()); // ours too, and at hand before this cell is found
    long drain = bucket.drain();
    long cost = charge.cost();
    for (int turns = 0; ; ) {
      long seen = word;
      if (seen >= 0) {
        var state = unpack(seen, drain);
        boolean passes = bucket.passes(state, now, cost);
        long next =
            passes
                ? pack(bucket.after(state, now, cost), false)
                : pack(state, cost <= bucket.capacity());
        if (next == seen || WORD.compareAndSet(this, seen, next)) {
          return passes ? bucket.passed(state, now, cost) : bucket.refused(state, now, cost);
        }
        turns = pause(turns); // to try again at once is to fail again, and to slow the others
      } else if (seen == DEAD) {
        return null;
      } else {
        turns = pause(turns);
      }
    }
  }

  @Override
  @Nullable State tryLock() {
    for (int turns = 0; turns < SPINS; turns = pause(turns)) {
      long seen = word;
      if (seen >= 0 && WORD.compareAndSet(this, seen, LOCKED | (seen & NOTE))) return unpack(seen);
      if (seen == DEAD) return null;
    }
    return null;
  }

  @Override
  void unlock(State state, boolean refused) {
    word = pack(state, refused);
  }

  @Override
  void restore(State state) {
    word = pack(state, false) | (word & NOTE);
  }

  @Override
  boolean isDead() {
    return word == DEAD;
  }

  @Override
  void markDead() {
    word = DEAD;
  }

  @Override
  boolean isUnused() {
    return word == UNUSED;
  }

  @Override
  boolean isRefused() {
    long seen = word;
    return (seen & NOTE) != 0 && seen != UNUSED;
  }

  @Override
  State look() {
    for (int turns = 0; ; turns = pause(turns)) {
      long seen = word;
      if (seen >= 0) return unpack(seen);
      if (seen == DEAD) return State.FRESH;
    }
  }

  private static Bucket bucketOf(Counter counter) {
    return Objects.requireNonNull(counter.bucket());
  }

  private BucketState unpack(long word) {
    return unpack(word, bucketOf(counter).drain());
  }

  private static BucketState unpack(long word, long drain) {
    return new BucketState(
        word >>> (SLACK_BITS + NOTE_BITS), word >>> NOTE_BITS & SLACK_MASK, drain);
  }

  private static long pack(State state, boolean refused) {
    if (!(state instanceof BucketState bucket)) {
      throw new IllegalStateException("a bucket's cell was given " + state);
    }
    if (bucket.emptyAt() <= 0) return 0;
    return (bucket.emptyAt() << SLACK_BITS | bucket.slack()) << NOTE_BITS | (refused ? NOTE : 0);
  }
}
