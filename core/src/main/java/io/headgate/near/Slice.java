package io.headgate.near;

import io.headgate.limit.Divisible;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Charge;
import io.headgate.store.Evidence;
import io.headgate.store.SharedCounts.Taken;
import org.jspecify.annotations.Nullable;

/**
 * Permits of one counter that the store holds for this instance, to be spent without asking.
 *
 * <p>Over-admission is 0 because of what the store does ({@link io.headgate.store.SharedCounts});
 * all that this has to do for it is to stop in time, and never to say less than was spent. Its
 * lease is counted from before the question was sent, so it ends here no later than there, whatever
 * the clocks say. And if a question is not answered, nobody knows whether it was heard: what was
 * held is then forgotten here, and the next question says that all of it has been spent.
 */
final class Slice implements NearCounter {
  private static final long ALL_OF_IT = 1L << 53;
  private static final long BELIEVED = 1_000_000_000; // a denial nobody told us was taken back
  private static final double MEMORY = 0.5; // of the demand before

  /** A question to the store that has been sent. */
  record Question(long spent, long want, long lease, long left, long at) {}

  private Divisible limit;
  private long available;
  private long held; // by the store's account, less nothing that was spent since
  private long ends;
  private boolean asking;
  private boolean doubtful;
  private boolean outdated; // the question on its way is of a limit that is no more
  private int tellings;
  private long slice; // the size wanted last

  private long asked; // permits, since then
  private long since;
  private double perSecond = -1;
  private long lastUsed;

  private long refusedUntil;
  private long refusedCost = Long.MAX_VALUE;
  private long retryAt;
  private long elsewhere; // what the store had left for anybody
  private long resetAt;

  Slice(Divisible limit, long now) {
    this.limit = limit;
    this.since = now;
    this.lastUsed = now;
    this.ends = now;
    this.refusedUntil = now;
    this.resetAt = now;
  }

  @Override
  public synchronized @Nullable Outcome spend(Charge charge, long now) {
    adopt(charge);
    long cost = charge.cost();
    asked += cost;
    lastUsed = now;
    if (cost <= available && now - ends < 0) {
      available -= cost;
      return new Passed(available + elsewhere, micros(resetAt - now), 0);
    }
    if (cost >= refusedCost && now - refusedUntil < 0) {
      return new Refused(room(now), micros(resetAt - now), Math.max(1, micros(retryAt - now)));
    }
    return null;
  }

  /** A changed limit: what was held under the old one is not worth the doubt. */
  private void adopt(Charge charge) {
    if (limit.equals(charge.limit())) return;
    limit = (Divisible) charge.limit();
    refusedCost = Long.MAX_VALUE;
    outdated |= asking;
    forgetHeld();
  }

  private void forgetHeld() {
    doubtful |= held > 0;
    available = 0;
    held = 0;
  }

  @Override
  public synchronized void giveBack(long cost, int tellings) {
    if (tellings == this.tellings && available + cost <= held) available += cost;
  }

  @Override
  public synchronized int tellings() {
    return tellings;
  }

  @Override
  public synchronized Outcome standing(long now) {
    return new Passed(room(now) + elsewhere, micros(resetAt - now), 0);
  }

  private long room(long now) {
    return now - ends < 0 ? available : 0;
  }

  @Override
  public Evidence evidence(Outcome outcome) {
    return outcome instanceof Passed ? Evidence.LEASE : Evidence.LOCAL;
  }

  @Override
  public synchronized void refused(Charge charge, Refused refused, long now) {
    long wait = Math.max(refused.retryAfter(), SliceSize.pause(limit)) * 1_000;
    refusedCost = charge.cost();
    retryAt = now + wait;
    refusedUntil = now + Math.min(wait, BELIEVED);
    elsewhere = 0;
    resetAt = now + refused.resetAfter() * 1_000;
  }

  /** Whether it is time to ask for more, so that nobody has to wait for it. */
  synchronized boolean isLow(long now) {
    if (asking || slice == 0 || now - refusedUntil < 0) return false;
    return available <= SliceSize.low(limit, slice)
        || now - ends > -SliceSize.lease(limit) * 1_000 / 4;
  }

  /**
   * Whether the store holds permits for nobody, or still counts as held what was spent. For a
   * bucket that is the same sooner or later, but a window would count it in the next one, or
   * longer.
   */
  synchronized boolean isIdle(long now) {
    if (asking || now - lastUsed <= SliceSize.idle(limit) * 1_000) return false;
    return available > 0 || (held > 0 && !(limit instanceof TokenBucket) && now - ends < 0);
  }

  /** Whether there is nothing left to know. */
  synchronized boolean isOver(long now) {
    return !asking
        && (held == 0 || now - ends >= 0)
        && now - lastUsed > SliceSize.lease(limit) * 1_000
        && now - refusedUntil >= 0;
  }

  /**
   * What to ask for, as things are; null if a question is on its way already.
   *
   * @param least what is needed at once, however seldom somebody comes
   */
  synchronized @Nullable Question ask(SliceSize size, int instances, long least, long now) {
    if (asking) return null;
    slice =
        perSecond < 0 && asked <= 1
            ? size.first(limit, instances)
            : size.want(limit, instances, demand(now), elsewhere);
    return question(Math.max(Math.max(slice, least), room(now)), now);
  }

  /** To be asked in order to hold nothing any more; null if a question is on its way. */
  synchronized @Nullable Question giveUp(long now) {
    if (asking || (held == 0 && !doubtful)) return null;
    var question = question(0, now);
    available = 0;
    slice = 0;
    return question;
  }

  private Question question(long want, long now) {
    if (now - ends >= 0) forgetHeld();
    asking = true;
    tellings++;
    long spent = doubtful ? ALL_OF_IT : held - available;
    return new Question(spent, want, SliceSize.lease(limit), available, now);
  }

  /** What came of a question. What was spent since it was asked is still to be told. */
  synchronized void answered(Question question, Taken taken, long now) {
    if (outdated) {
      unanswered(); // as good as: what is held was asked for under another limit
      return;
    }
    asking = false;
    doubtful = false;
    long spentSince = question.want == 0 ? 0 : question.left - available;
    held = taken.held();
    available = Math.max(0, held - spentSince);
    ends = question.at + question.lease * 999; // a thousandth less: clocks do not run alike
    elsewhere = taken.outcome().remaining();
    resetAt = now + taken.outcome().resetAfter() * 1_000;
    if (held < question.want) waitForMore(now);
  }

  /** There was less than was wanted: what comes back is left to gather for a while. */
  private void waitForMore(long now) {
    refusedCost = 1;
    refusedUntil = now + SliceSize.pause(limit) * 1_000;
    retryAt = refusedUntil;
  }

  synchronized void unanswered() {
    asking = false;
    outdated = false;
    available = 0;
    held = 0;
    doubtful = true;
  }

  /** Permits a second that are asked for here; of what has been seen once, nothing is known. */
  private double demand(long now) {
    double seconds = (now - since) / 1e9;
    if (seconds < 0.001) return Math.max(0, perSecond);
    double latest = asked / seconds;
    boolean first = perSecond < 0;
    perSecond =
        first ? Math.max(0, asked - 1) / seconds : MEMORY * perSecond + (1 - MEMORY) * latest;
    asked = 0;
    since = now;
    return perSecond;
  }

  private static long micros(long nanos) {
    return Math.max(0, Math.ceilDiv(nanos, 1_000));
  }
}
