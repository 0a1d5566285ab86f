package io.headgate.store;

import io.headgate.limit.Bucket;
import io.headgate.limit.BucketState;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stores the state of a token or leaky bucket: 52 bits for the time in microseconds when the debt
 * is repaid (sufficient until the year 2112), and 10 bits for the slack.
 *
 * <p>Slack is less than the permits of the rate in lowest terms, so rates of up to 1024 permits in
 * lowest terms fit: 100 per minute is 1 per 600 ms, and 999 per second stays 999. Other limits use
 * a {@link StateCell}.
 */
final class BucketCell extends WordCell {
  static final long MAX_DRAIN = 1L << 50; // 35 years

  private static final long MAX_TIME = (1L << 52) - 1;
  private static final int SLACK_BITS = 10;
  private static final long SLACK_MASK = (1L << SLACK_BITS) - 1;

  BucketCell(Counter counter, String key) {
    super(counter, key);
  }

  /** Returns whether all states of the limit fit into a word. */
  static boolean holds(Limit limit) {
    var bucket = Bucket.of(limit);
    return bucket != null
        && bucket.rate().permitsInLowestTerms() <= SLACK_MASK + 1
        && bucket.refillTime() <= MAX_DRAIN;
  }

  @Override
  @Nullable Outcome tryDecide(long seen, Charge charge, long now) {
    var bucket = bucketOf(charge.counter()); // has the limit of this cell, and is already in cache
    long cost = charge.cost();
    var state = unpack(seen, bucket.refillTime());
    if (!bucket.charges(state, now, cost)) return tryKeep(seen, bucket, state, now, cost);
    var after = bucket.afterCharge(state, now, cost);
    return swap(seen, pack(after)) ? bucket.passed(state, after, now, cost) : null;
  }

  /** Decides a request that is not charged, since it is refused or costs nothing. */
  private @Nullable Outcome tryKeep(
      long seen, Bucket bucket, BucketState state, long now, long cost) {
    if (cost == 0) return replace(seen, pack(state)) ? bucket.passed(state, now, 0) : null;
    return replace(seen, flagged(pack(state), cost <= bucket.capacity()))
        ? bucket.refused(state, now, cost)
        : null;
  }

  @Override
  long charged(long seen, Charge charge, long now) {
    var bucket = bucketOf(charge.counter());
    long cost = charge.cost();
    var state = unpack(seen, bucket.refillTime());
    return bucket.passes(state, now, cost) ? pack(bucket.after(state, now, cost)) : NOT_PASSED;
  }

  @Override
  Outcome passed(long seen, Charge charge, long now) {
    var bucket = bucketOf(charge.counter());
    return bucket.passed(unpack(seen, bucket.refillTime()), now, charge.cost());
  }

  @Override
  State decode(long word) {
    return unpack(word, bucketOf(counter).refillTime());
  }

  @Override
  long encode(State state) {
    if (state instanceof BucketState bucket) {
      if (bucket.emptyAt() <= 0) return 0; // a debt repaid in 1970 is none
      if (bucket.slack() <= SLACK_MASK && bucket.emptyAt() <= MAX_TIME) return pack(bucket);
    }
    throw new IllegalStateException("a word of bucket states can't store " + state);
  }

  private static Bucket bucketOf(Counter counter) {
    return Objects.requireNonNull(counter.bucket());
  }

  private static BucketState unpack(long word, long drain) {
    return new BucketState(
        word >>> (SLACK_BITS + FLAG_BITS), word >>> FLAG_BITS & SLACK_MASK, drain);
  }

  private static long pack(BucketState bucket) {
    return (bucket.emptyAt() << SLACK_BITS | bucket.slack()) << FLAG_BITS;
  }
}
