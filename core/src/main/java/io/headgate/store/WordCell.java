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
 * Stores the state of a token or leaky bucket in one 64-bit word, which a single compare-and-set
 * replaces. Needs no lock for plans of one charge, and no object beside the cell.
 *
 * <p>The layout of a state, from the highest bit: the sign, which is 0; 52 bits for the time in
 * microseconds when the debt is repaid (sufficient until the year 2112); 10 bits for the slack; 1
 * flag. Negative words stand for a locked or dead cell.
 *
 * <p>Slack is less than the permits of the rate in lowest terms, so rates of up to 1024 permits in
 * lowest terms fit: 100 per minute is 1 per 600 ms, and 999 per second stays 999. Other limits use
 * a {@link StateCell}.
 */
final class WordCell extends Cell {
  private static final int SLACK_BITS = 10;
  private static final long SLACK_MASK = (1L << SLACK_BITS) - 1;
  private static final int FLAG_BITS = 1;
  private static final long MAX_DRAIN = 1L << 50; // 35 years

  /** The latest time at which every debt that fits is repaid within 52 bits. */
  static final long LATEST = (1L << 52) - MAX_DRAIN;

  /** On a debt: the last request was refused. Without a debt: the cell is unused. */
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

  private volatile long word = UNUSED; // 0: a debt repaid in 1970, that is, none

  WordCell(Counter counter, String key) {
    super(counter, key);
  }

  /** Returns whether all states of the limit fit into a word. */
  static boolean holds(Limit limit) {
    var bucket = Bucket.of(limit);
    return bucket != null
        && bucket.rate().permitsInLowestTerms() <= SLACK_MASK + 1
        && bucket.refillTime() <= MAX_DRAIN;
  }

  /**
   * Accepts charges under the cell's own limit only, since the word does not record the limit that
   * wrote it. Equal counters may have different limits, so the counters are compared by identity
   * first and then by limit.
   */
  @Override
  @SuppressWarnings("ReferenceEquality")
  boolean accepts(Charge charge) {
    return charge.counter() == counter || charge.limit().equals(counter.limit());
  }

  @Override
  @Nullable Outcome decide(Charge charge, long now) {
    var bucket = bucketOf(charge.counter()); // has the limit of this cell, and is already in cache
    long drain = bucket.refillTime();
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
        turns = pause(turns); // an immediate retry would add contention
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
      if (seen >= 0 && WORD.compareAndSet(this, seen, LOCKED | (seen & FLAG))) return unpack(seen);
      if (seen == DEAD) return null;
    }
    return null;
  }

  @Override
  void unlock(State state, boolean refused) {
    WORD.setRelease(this, pack(state, refused)); // as StateCell.unlock
  }

  @Override
  void restore(State state) {
    word = pack(state, false) | (word & FLAG);
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
    return (seen & FLAG) != 0 && seen != UNUSED;
  }

  @Override
  State read() {
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
    return unpack(word, bucketOf(counter).refillTime());
  }

  private static BucketState unpack(long word, long drain) {
    return new BucketState(
        word >>> (SLACK_BITS + FLAG_BITS), word >>> FLAG_BITS & SLACK_MASK, drain);
  }

  private static long pack(State state, boolean refused) {
    if (!(state instanceof BucketState bucket)) {
      throw new IllegalStateException("a cell of bucket states can't store " + state);
    }
    if (bucket.emptyAt() <= 0) return 0;
    return (bucket.emptyAt() << SLACK_BITS | bucket.slack()) << FLAG_BITS | (refused ? FLAG : 0);
  }
}
