package io.headgate.internal.consistency;

import io.headgate.internal.consistency.DenialCache.Sent;
import io.headgate.internal.consistency.HoldingStore.HoldResult;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.store.Source;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Permits of one counter that the store holds for this instance, to be spent without a round trip.
 *
 * <p>Leases never over-admit, because of how the store accounts for holds ({@link
 * io.headgate.internal.consistency.HoldingStore}). This class has two obligations: to stop spending
 * when the lease expires, and never to report fewer permits than were spent. The lease is measured
 * from before the request was sent, so it expires here no later than in the store, whatever the
 * clocks show.
 *
 * <p>If a request gets no reply, the store may have replaced the hold by another one of unknown
 * size. No more permits are then spent, and the next request reports all permits spent from the old
 * hold. For either hold, that is no less than the number actually spent.
 */
final class PermitLease implements LocalCounter {
  private static final long MAX_STRICT_TIME = 1_000_000_000;

  /**
   * A request for permits that has been prepared to be sent.
   *
   * @param usage the usage of the current hold
   * @param want how many permits to hold from now on
   * @param duration the duration of the lease, in microseconds
   * @param sent when the request was prepared
   */
  record Request(Usage usage, long want, long duration, Sent sent) {}

  private final String key;
  private final DenialCache denials;
  private final AtomicBoolean queued = new AtomicBoolean();
  private Counter counter; // of the last charge
  private Holdable limit;
  private long held; // by the store's last reply
  private long spent; // of held
  private long until; // expiry by the store's clock; 0 if the limit has been changed since
  private long expiresAt; // the same by the local clock
  private boolean usable; // whether the unspent permits may be spent
  private boolean requesting;
  private boolean outdated; // the request in flight is of a limit that has been replaced
  private int reportCount;
  private long wantedSize; // of the last request
  private long renewalThreshold; // unspent permits at which to request more
  private long renewAt; // when to request more in any case

  private final DemandMeter demand;
  private final ReportDeadline deadline = new ReportDeadline();
  private long maxTime; // of the last request, as in LeaseSizing.maxTime; 0: none yet
  private int instances = 1; // at the last request
  private long lastUsed;

  private @Nullable Denial denial; // the last one; may have ended
  private int refusals; // in a row
  private long storeAhead; // the store's clock relative to the local one, in microseconds
  private long strictUntil; // the store holds no permits for this instance although some remain
  private long remoteRemaining; // permits available in the store at its last reply
  private long resetAt;

  PermitLease(Charge charge, DenialCache denials, long now) {
    this.key = charge.key();
    this.denials = denials;
    this.counter = charge.counter();
    this.limit = (Holdable) charge.limit();
    this.demand = new DemandMeter(now);
    this.lastUsed = now;
    this.expiresAt = now;
    this.renewAt = now;
    this.strictUntil = now;
    this.resetAt = now;
  }

  @Override
  public synchronized @Nullable Outcome spend(Charge charge, long now) {
    adopt(charge, now);
    long cost = charge.cost();
    demand.record(cost);
    lastUsed = now;
    long available = available();
    if (cost <= available && now - expiresAt < 0) {
      spent += cost;
      return new Passed(available - cost + remoteRemaining, micros(resetAt - now), 0);
    }
    return denial != null && cost >= denial.cost() && denial.isActive(now)
        ? denial.outcome(spendable(now), now)
        : null;
  }

  /** Returns whether requests of some cost are denied locally, so that no permits are requested. */
  private boolean isDenied(long now) {
    return denial != null && denial.isActive(now);
  }

  private long available() {
    return usable ? held - spent : 0;
  }

  /**
   * Follows a change of the limit. The hold is of the old limit, and no more of it is spent. The
   * next request reports its usage, which the store converts in proportion.
   */
  @SuppressWarnings("ReferenceEquality")
  private void adopt(Charge charge, long now) {
    if (counter == charge.counter()) return;
    counter = charge.counter();
    if (limit.equals(charge.limit())) return;
    limit = (Holdable) charge.limit();
    denial = null;
    strictUntil = now;
    remoteRemaining = 0;
    maxTime = 0;
    refusals = 0;
    deadline.clear();
    outdated |= requesting;
    until = 0;
    usable = false;
  }

  @Override
  public synchronized void refund(long cost, int reportCount) {
    if (reportCount == this.reportCount && cost <= spent) spent -= cost;
  }

  @Override
  public synchronized int reportCount() {
    return reportCount;
  }

  @Override
  public synchronized Outcome peek(long now) {
    return new Passed(spendable(now) + remoteRemaining, micros(resetAt - now), 0);
  }

  private long spendable(long now) {
    return now - expiresAt < 0 ? available() : 0;
  }

  @Override
  public Source source(Outcome outcome) {
    return outcome instanceof Passed ? Source.LEASE : Source.CACHE;
  }

  @Override
  public synchronized void storeRefused(Charge charge, Refused refused, Sent sent, long now) {
    if (!limit.equals(charge.limit())) return; // changed since the request was sent
    deny(charge, refused, sent, now);
    remoteRemaining = 0;
    resetAt = now + refused.resetAfter() * 1_000;
  }

  /** Denies locally, at least until enough permits have returned to be worth a request. */
  private void deny(Charge charge, Refused refused, Sent sent, long now) {
    long pause = LeaseSizing.exhaustedPause(limit, instances, refusals);
    if (limit instanceof FixedWindow && storeAhead != 0) {
      long storeTime = now / 1_000 + storeAhead;
      pause = Math.min(pause, LeaseSizing.periodEnd(limit, storeTime) - storeTime);
    }
    if (!isDenied(now)) refusals++;
    denial = new Denial(charge, refused, true, pause, sent, now);
    denials.add(charge, denial, sent, now);
  }

  @Override
  public synchronized Charge chargeAtZeroCost() {
    return new Charge(counter, key, 0, 0);
  }

  @Override
  public boolean markQueued() {
    return queued.compareAndSet(false, true);
  }

  @Override
  public boolean clearQueued() {
    return queued.getAndSet(false);
  }

  /** Returns the permits requested per second, for statistics. */
  synchronized double permitsPerSecond(long now) {
    return demand.recent(now);
  }

  /** Returns whether to request more permits now, so that no caller has to wait for the reply. */
  synchronized boolean isLow(long now) {
    if (requesting) return false;
    if (spent > 0 && deadline.isNear(now)) return true;
    if (wantedSize == 0 || isDenied(now) || now - strictUntil < 0) return false;
    return available() <= renewalThreshold || now - renewAt > 0;
  }

  /** Returns whether the store has a hold for this instance that is no longer used. */
  synchronized boolean isIdle(long now) {
    return !requesting
        && held > 0
        && now - expiresAt < 0
        && now - lastUsed > LeaseSizing.idleTimeout(limit) * 1_000;
  }

  /** Returns whether the lease has expired or has no permits, and no cached denial is in effect. */
  synchronized boolean isExpired(long now) {
    return !requesting
        && (held == 0 || now - expiresAt >= 0)
        && now - lastUsed > LeaseSizing.duration(limit) * 1_000
        && !isDenied(now);
  }

  @Override
  public synchronized boolean isSettled() {
    return !requesting && held == 0;
  }

  /**
   * Prepares a request for permits, sized by the demand.
   *
   * @param min the number of permits needed at once, whatever the demand
   * @return null if a request is in flight, or if the store has to decide each charge
   */
  synchronized @Nullable Request prepareRequest(
      LeaseSizing sizing, int instances, long min, long now) {
    if (requesting || now - strictUntil < 0) return null;
    this.instances = instances;
    wantedSize =
        demand.isUnknown() ? sizing.initialSize(limit, instances) : sizeByDemand(sizing, now);
    return request(Math.max(Math.max(wantedSize, min), spendable(now)), now);
  }

  private long sizeByDemand(LeaseSizing sizing, long now) {
    double perSecond = demand.measure(now);
    double utilization = LeaseSizing.utilization(limit, instances, perSecond);
    deadline.setUtilization(utilization);
    maxTime = LeaseSizing.maxTime(limit, utilization, maxTime);
    return sizing.size(limit, instances, perSecond, remoteRemaining, maxTime);
  }

  /**
   * Prepares a request that reports the spent permits and keeps the others, or releases them if
   * there have been no checks lately; null if there is nothing to report or a request is in flight.
   */
  synchronized @Nullable Request prepareReport(long now) {
    long quietTime = Math.min(LeaseSizing.period(limit), LeaseSizing.duration(limit)) / 4;
    long unspent = spendable(now);
    if (unspent == 0 || now - lastUsed > quietTime * 1_000) return prepareRelease(now);
    return requesting || spent == 0 ? null : request(unspent, now);
  }

  /** Prepares a request that releases the hold; null if there is none or a request is in flight. */
  synchronized @Nullable Request prepareRelease(long now) {
    if (requesting || held == 0) return null;
    usable = false;
    wantedSize = 0;
    return request(0, now);
  }

  private Request request(long want, long now) {
    if (now - expiresAt >= 0) usable = false;
    requesting = true;
    reportCount++;
    return new Request(
        new Usage(spent, held, until), want, LeaseSizing.duration(limit), denials.sent(now));
  }

  /**
   * Applies the store's reply to a request. Permits spent since it was prepared are reported by the
   * next one.
   */
  synchronized void granted(Request request, HoldResult taken, long now) {
    requesting = false;
    held = taken.held();
    spent = Math.min(held, spent - request.usage.spent());
    expiresAt = request.sent.at() + request.duration * 999; // 0.1% less, for clock drift
    until = outdated ? 0 : taken.until();
    usable = !outdated;
    remoteRemaining = taken.outcome().remaining();
    resetAt = now + taken.outcome().resetAfter() * 1_000;
    renewalThreshold = LeaseSizing.renewalThreshold(limit, wantedSize, remoteRemaining);
    renewAt = expiresAt - LeaseSizing.renewalTime(limit) * 1_000;
    boolean passed = taken.outcome() instanceof Passed;
    if (held > 0 || (request.want == 0 && passed)) refusals = 0;
    long storeTime = taken.until() - request.duration;
    storeAhead = storeTime - request.sent.at() / 1_000;
    if (outdated || request.want == 0) deadline.clear();
    else deadline.set(limit, request.sent.at(), now, storeTime);
    if (!outdated && held < request.want && passed) {
      grantedLess(request, taken, now);
    }
    outdated = false;
  }

  /**
   * Handles a grant of fewer permits than wanted. If none remain, permits that come back accumulate
   * in the store during a pause. If some remain, the store has no room for another holder, or a
   * state of another limit that its next decision converts. The store then decides each charge for
   * a while.
   */
  private void grantedLess(Request request, HoldResult taken, long now) {
    if (remoteRemaining > 0) {
      strictUntil = now + Math.min(MAX_STRICT_TIME, LeaseSizing.duration(limit) * 1_000 / 4);
      return;
    }
    var refused = new Refused(0, taken.outcome().resetAfter(), 0);
    deny(new Charge(counter, key, 1, 0), refused, request.sent, now);
  }

  /**
   * Records that a request failed.
   *
   * @param unsent whether it was certainly not sent, so that the hold is unchanged
   */
  synchronized void requestFailed(boolean unsent) {
    requesting = false;
    outdated = false;
    deadline.clear(); // until the next reply
    if (!unsent) usable = false;
  }

  /** Starts the timer of the report; see {@link ReportDeadline#startTimer}. */
  synchronized long startTimer() {
    return deadline.startTimer();
  }

  /** Ends the timer of the report; returns whether to send one. */
  synchronized boolean timerEnded(long now) {
    deadline.timerEnded();
    if (!deadline.isDue(now)) return false;
    if (spent > 0 && !requesting && now - expiresAt < 0) return true;
    if (requesting || now - expiresAt >= 0) deadline.clear(); // until the next reply
    else deadline.skipPeriod(now);
    return false;
  }

  private static long micros(long nanos) {
    return Math.max(0, Math.ceilDiv(nanos, 1_000));
  }
}
