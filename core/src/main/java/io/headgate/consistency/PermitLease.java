package io.headgate.consistency;

import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.store.HoldingStore.Taken;
import io.headgate.store.Source;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Permits of one counter that the store holds for this instance, to be spent without asking.
 *
 * <p>Over-admission is 0 because of what the store does ({@link io.headgate.store.HoldingStore});
 * all that this has to do for it is to stop in time, and never to report less than was spent. Its
 * lease is counted from before the question was sent, so it ends here no later than there, whatever
 * the clocks say.
 *
 * <p>If a question is not answered, the store may have replaced the hold by another of which this
 * instance knows nothing. So nothing more is spent, and the next question reports all that was
 * spent of the hold before: of either hold that is no less than the truth.
 */
final class PermitLease implements LocalCounter {
  private static final long BELIEVED = 1_000_000_000; // a denial nobody told us was taken back
  private static final long LONGEST_STRICT = 1_000_000_000;
  private static final double MEMORY = 0.5; // of the demand before

  /**
   * A question to the store that has been sent.
   *
   * @param usage of the hold when it was sent
   * @param at when it was sent
   */
  record Question(Usage usage, long want, long lease, long at) {}

  private final String key;
  private final AtomicBoolean queued = new AtomicBoolean();
  private Counter counter; // of the charge that came last
  private Holdable limit;
  private long held; // as the store last said
  private long spent; // of it
  private long until; // by the store's clock; 0 if the limit has been changed since
  private long ends; // the same by this machine's clock
  private boolean usable; // whether the rest may be spent
  private boolean asking;
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
  private long strictUntil; // the store holds nothing for us although it has some
  private long elsewhere; // what the store had left for anybody
  private long resetAt;

  PermitLease(Charge charge, long now) {
    this.key = charge.key();
    this.counter = charge.counter();
    this.limit = (Holdable) charge.limit();
    this.since = now;
    this.lastUsed = now;
    this.ends = now;
    this.refusedUntil = now;
    this.strictUntil = now;
    this.resetAt = now;
  }

  @Override
  public synchronized @Nullable Outcome spend(Charge charge, long now) {
    adopt(charge, now);
    long cost = charge.cost();
    asked += cost;
    lastUsed = now;
    long available = available();
    if (cost <= available && now - ends < 0) {
      spent += cost;
      return new Passed(available - cost + elsewhere, micros(resetAt - now), 0);
    }
    if (cost >= refusedCost && now - refusedUntil < 0) {
      return new Refused(room(now), micros(resetAt - now), Math.max(1, micros(retryAt - now)));
    }
    return null;
  }

  private long available() {
    return usable ? held - spent : 0;
  }

  /**
   * A changed limit. The hold is of the old one, and nothing more of it is spent; the next question
   * reports which part of it was, and the store takes that over in proportion.
   */
  @SuppressWarnings("ReferenceEquality")
  private void adopt(Charge charge, long now) {
    if (counter == charge.counter()) return;
    counter = charge.counter();
    if (limit.equals(charge.limit())) return;
    limit = (Holdable) charge.limit();
    refusedCost = Long.MAX_VALUE;
    strictUntil = now;
    elsewhere = 0;
    outdated |= asking;
    until = 0;
    usable = false;
  }

  @Override
  public synchronized void giveBack(long cost, int tellings) {
    if (tellings == this.tellings && cost <= spent) spent -= cost;
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
    return now - ends < 0 ? available() : 0;
  }

  @Override
  public Source source(Outcome outcome) {
    return outcome instanceof Passed ? Source.LEASE : Source.CACHE;
  }

  @Override
  public synchronized void refused(Charge charge, Refused refused, long now) {
    long wait = Math.max(refused.retryAfter(), LeaseSizing.pause(limit)) * 1_000;
    refusedCost = charge.cost();
    retryAt = now + wait;
    refusedUntil = now + Math.min(wait, BELIEVED);
    elsewhere = 0;
    resetAt = now + refused.resetAfter() * 1_000;
  }

  @Override
  public synchronized Charge look() {
    return new Charge(counter, key, 0, 0);
  }

  @Override
  public boolean enqueue() {
    return queued.compareAndSet(false, true);
  }

  @Override
  public void dequeue() {
    queued.set(false);
  }

  /** Whether it is time to ask for more, so that nobody has to wait for it. */
  synchronized boolean isLow(long now) {
    if (asking || slice == 0 || now - refusedUntil < 0 || now - strictUntil < 0) return false;
    return available() <= LeaseSizing.low(limit, slice)
        || now - ends > -LeaseSizing.lease(limit) * 1_000 / 4;
  }

  /** Whether the store holds permits that are not used here, or still counts as held what was. */
  synchronized boolean isIdle(long now) {
    return !asking
        && held > 0
        && now - ends < 0
        && now - lastUsed > LeaseSizing.idle(limit) * 1_000;
  }

  /** Whether there is nothing left to know. */
  synchronized boolean isOver(long now) {
    return !asking
        && (held == 0 || now - ends >= 0)
        && now - lastUsed > LeaseSizing.lease(limit) * 1_000
        && now - refusedUntil >= 0;
  }

  @Override
  public synchronized boolean isSettled() {
    return !asking && held == 0;
  }

  /**
   * What to ask for, as things are; null if a question is on its way already, or the store is to
   * decide each request.
   *
   * @param least what is needed at once, however seldom somebody comes
   */
  synchronized @Nullable Question ask(LeaseSizing size, int instances, long least, long now) {
    if (asking || now - strictUntil < 0) return null;
    slice =
        perSecond < 0 && asked <= 1
            ? size.first(limit, instances)
            : size.want(limit, instances, demand(now), elsewhere);
    return question(Math.max(Math.max(slice, least), room(now)), now);
  }

  /** To be asked in order to hold nothing any more; null if a question is on its way. */
  synchronized @Nullable Question giveUp(long now) {
    if (asking || held == 0) return null;
    usable = false;
    slice = 0;
    return question(0, now);
  }

  private Question question(long want, long now) {
    if (now - ends >= 0) usable = false;
    asking = true;
    tellings++;
    return new Question(new Usage(spent, held, until), want, LeaseSizing.lease(limit), now);
  }

  /** What came of a question. What was spent since it was asked is still to be told. */
  synchronized void answered(Question question, Taken taken, long now) {
    asking = false;
    held = taken.held();
    spent = Math.min(held, spent - question.usage.spent());
    ends = question.at + question.lease * 999; // a thousandth less: clocks do not run alike
    until = outdated ? 0 : taken.until();
    usable = !outdated;
    elsewhere = taken.outcome().remaining();
    resetAt = now + taken.outcome().resetAfter() * 1_000;
    if (!outdated && held < question.want && taken.outcome() instanceof Passed) less(now);
    outdated = false;
  }

  /**
   * There was less than was wanted. If nothing is left, what comes back is left to gather for a
   * while. If some is left, the store has no room for another holder, or a state of another limit
   * that it converts with the next decision: requests are decided by the store meanwhile.
   */
  private void less(long now) {
    if (elsewhere > 0) {
      strictUntil = now + Math.min(LONGEST_STRICT, LeaseSizing.lease(limit) * 1_000 / 4);
      return;
    }
    refusedCost = 1;
    refusedUntil = now + LeaseSizing.pause(limit) * 1_000;
    retryAt = refusedUntil;
  }

  /**
   * @param unsent whether the question surely was not sent, so that the hold is as it was
   */
  synchronized void unanswered(boolean unsent) {
    asking = false;
    outdated = false;
    if (!unsent) usable = false;
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
