package io.headgate.internal.region;

import io.headgate.internal.consistency.HoldingStore.HoldResult;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one counter that home holds for this instance, to be spent in its region.
 *
 * <p>A share is a hold, so all shares and all charges together fit the limit at every moment. This
 * class adds three obligations. It stops spending when the lease ends, measured by the local
 * monotonic clock from before the request was sent. It never reports fewer permits than were spent.
 * After a request without a reply it goes on spending the share it had, because home keeps at least
 * that much of it, but it sends the next request only when nothing of the share can be spent: two
 * requests of unknown fate could charge permits at home before they are spent here.
 *
 * <p>Pure but for its own state: every method takes the time, in nanoseconds. Thread-safe.
 */
final class RegionShare {
  private static final double SMOOTHING = 0.5; // weight of the previous demand
  private static final long MIN_DEMAND_TIME = 50_000_000;

  /** Why a share can't pass a charge. */
  enum Shortage {
    /** Home is likely to have the permits: the reply to the next request decides. */
    UNKNOWN,
    /** Home had none when it last replied. */
    EXHAUSTED,
    /** Home can't be reached, or waits because it may have lost holds. */
    UNREACHABLE,
    /** Home has permits and no room for another holder: it has to decide each charge. */
    CROWDED
  }

  /**
   * A request for a share that has been prepared to be sent.
   *
   * @param charge of cost 0; of cost 1 to convert a counter that was written under another limit
   * @param usage the usage of the present share
   * @param want how many permits to hold from now on
   * @param lease the length of the lease, in microseconds
   * @param sentAt when the request was prepared
   */
  record Request(Charge charge, Usage usage, long want, long lease, long sentAt) {}

  private final String key;
  private final ShareTiming timing;
  private Counter counter; // of the last charge
  private Holdable limit;
  private long held; // by the last reply
  private long spent; // of held
  private long allowed; // how many of held may be spent; fewer while a request to shrink is sent
  private long until; // the end of the lease by home's clock; 0 if the limit was changed since
  private long expiresAt; // the same by the local clock
  private boolean requesting;
  private boolean outdated; // the request in flight is of a limit that has been replaced
  private boolean converts; // the next request has to convert the counter
  private boolean unanswered; // the last request may have been executed
  private boolean known; // home has replied, and not failed since
  private boolean failed; // the last request failed
  private long nextRequest; // no earlier request, unless for waiting charges
  private long crowdedUntil;
  private long remoteRemaining; // permits at home at its last reply
  private long repliedAt;
  private long roundTrip; // of the last answered request
  private long resetAt;
  private int requests;
  private long waiting; // permits that callers wait for

  private long requested; // permits, since demandSince
  private long demandSince;
  private double demand = -1; // permits per second; -1: unknown
  private long lastUsed;

  RegionShare(Charge charge, ShareTiming timing, long now) {
    this.key = charge.key();
    this.timing = timing;
    this.counter = charge.counter();
    this.limit = (Holdable) charge.limit();
    this.expiresAt = now;
    this.resetAt = now;
    this.nextRequest = now;
    this.crowdedUntil = now - timing.sync().toNanos();
    this.repliedAt = now;
    this.demandSince = now;
    this.lastUsed = now;
  }

  /** Spends the cost of the charge; returns null if the share does not have it. */
  synchronized @Nullable Passed spend(Charge charge, long now) {
    adopt(charge, now);
    requested += charge.cost();
    lastUsed = now;
    if (charge.cost() > spendable(now)) return null;
    spent += charge.cost();
    return new Passed(spendable(now) + remoteRemaining, micros(resetAt - now), 0);
  }

  /** Marks the share as used although nothing is spent, so that permits are requested for it. */
  synchronized void touch(long now) {
    lastUsed = now;
  }

  /**
   * Follows a change of the limit. The share is of the old limit, and no more of it is spent. The
   * next request reports its usage, which home converts in proportion.
   */
  @SuppressWarnings("ReferenceEquality")
  private void adopt(Charge charge, long now) {
    if (counter == charge.counter()) return;
    counter = charge.counter();
    if (limit.equals(charge.limit())) return;
    limit = (Holdable) charge.limit();
    outdated |= requesting;
    until = 0;
    allowed = 0;
    known = false;
    remoteRemaining = 0;
    nextRequest = now;
  }

  /** Undoes {@link #spend}, unless it has been reported since; see {@link #requests}. */
  synchronized void refund(long cost, int requests) {
    if (requests == this.requests && cost <= spent) spent -= cost;
  }

  /** Returns the number of requests prepared so far, as an argument of {@link #refund}. */
  synchronized int requests() {
    return requests;
  }

  private long spendable(long now) {
    return now - expiresAt < 0 ? Math.max(0, allowed - spent) : 0;
  }

  /** Returns the outcome of a charge of cost 0. */
  synchronized Outcome peek(long now) {
    return new Passed(spendable(now) + remoteRemaining, micros(resetAt - now), 0);
  }

  /** Returns why the share lacks permits for a cost that it could not {@link #spend}. */
  synchronized Shortage shortage(long cost, long now) {
    if (failed) return Shortage.UNREACHABLE;
    if (now - crowdedUntil < 0) return Shortage.CROWDED;
    if (!known) return Shortage.UNKNOWN;
    boolean plenty = remoteRemaining >= Math.max(cost, limit.capacity() / 4);
    return plenty ? Shortage.UNKNOWN : Shortage.EXHAUSTED;
  }

  /** Returns the microseconds after which a refused charge may pass. */
  synchronized long retryAfter(long now) {
    return Math.max(1_000, micros(nextRequest - now) + timing.pause(limit) / 1_000);
  }

  /** Records that a caller waits for permits, which the next request includes. */
  synchronized void await(long cost) {
    waiting = Math.min(limit.capacity(), waiting + cost);
  }

  /**
   * Returns the next request if one is due: callers wait, few permits are left, or a sync interval
   * is over. The caller sends it, and then calls {@link #granted} or {@link #requestFailed}.
   *
   * @return null if none is due, or one is in flight
   */
  synchronized @Nullable Request prepare(long now) {
    if (requesting || (unanswered && spendable(now) > 0)) return null;
    if (isIdle(now)) return held == 0 ? null : request(0, now);
    boolean urgent = waiting > 0 && !failed;
    if (!urgent && now - nextRequest < 0 && !(isLow(now) && known && remoteRemaining > 0)) {
      return null;
    }
    return request(size(now), now);
  }

  /** Prepares a request that returns the share; null if there is none or a request is in flight. */
  synchronized @Nullable Request prepareReturn(long now) {
    return requesting || held == 0 ? null : request(0, now);
  }

  private boolean isIdle(long now) {
    return waiting == 0 && now - lastUsed > timing.idle().toNanos();
  }

  private boolean isLow(long now) {
    return spendable(now) < timing.low(limit, roundTrip, Math.max(0, demand));
  }

  /**
   * Returns how many permits to hold: the demand until the second-next request, and never more. Of
   * the permits at home at most half are taken at once, so that other regions find some.
   */
  private long size(long now) {
    long wanted = Math.max(timing.cover(limit, roundTrip, demand(now)), 1) + waiting;
    long spendable = spendable(now);
    long available = known ? Math.ceilDiv(estimatedRemaining(now), 2) : limit.capacity() / 8;
    long most = spendable + Math.max(Math.max(waiting, available), 1);
    return Math.min(Math.min(wanted, most), limit.capacity());
  }

  /** Returns the permits at home by its last reply and by the rate at which they come back. */
  private long estimatedRemaining(long now) {
    double refilled = limit.capacity() * ((now - repliedAt) / 1e3) / limit.window();
    return (long) Math.min((double) limit.capacity(), remoteRemaining + refilled);
  }

  private Request request(long want, long now) {
    // Home may have replaced the share by a smaller one, of which a fraction would be too little.
    boolean unclear = unanswered && allowed < held;
    var usage = new Usage(unclear ? held : spent, held, until);
    allowed = now - expiresAt < 0 ? Math.min(allowed, spent + want) : spent;
    requesting = true;
    requests++;
    waiting = 0;
    nextRequest = now + timing.interval(limit, roundTrip);
    var charge = new Charge(counter, key, converts ? 1 : 0, 0);
    return new Request(charge, usage, want, timing.lease(limit), now);
  }

  /** Applies home's reply. Permits spent since the request are reported by the next one. */
  synchronized void granted(Request request, HoldResult result, long now) {
    requesting = false;
    unanswered = false;
    failed = false;
    known = !outdated;
    held = result.held();
    spent = Math.clamp(spent - request.usage.spent(), 0, held);
    allowed = outdated ? spent : held;
    until = outdated ? 0 : result.until();
    expiresAt = request.sentAt + request.lease * 999; // 0.1% less, for clock drift
    remoteRemaining = outdated ? 0 : result.outcome().remaining();
    resetAt = now + result.outcome().resetAfter() * 1_000;
    repliedAt = now;
    roundTrip = now - request.sentAt;
    // Permits remain, but none are held: the counter was written under another limit, which a
    // decision converts, or it has as many holders as it can have.
    boolean withheld = !outdated && request.want > 0 && held == 0 && remoteRemaining > 0;
    converts = withheld && request.charge.cost() == 0;
    if (withheld && !converts) crowdedUntil = now + timing.sync().toNanos();
    if (converts || outdated) nextRequest = now;
    else if (held < request.want) nextRequest = now + timing.pause(limit);
    outdated = false;
  }

  /**
   * Records that a request failed.
   *
   * @param unexecuted whether home certainly did not execute it, so that the share is unchanged
   */
  synchronized void requestFailed(Request request, boolean unexecuted, long now) {
    requesting = false;
    if (unexecuted && !unanswered && !outdated && until != 0) allowed = held;
    outdated = false;
    unanswered |= !unexecuted;
    failed = true;
    known = false;
    remoteRemaining = 0;
    nextRequest = now + Math.max(timing.pause(limit), timing.sync().toNanos() / 4);
  }

  /** Returns whether the share has no permits, is unused, and can be dropped. */
  synchronized boolean isExpired(long now) {
    boolean empty = held == 0 || now - expiresAt >= 0;
    return empty && !requesting && isIdle(now) && now - expiresAt >= 0;
  }

  /** Returns the permits that can be spent. */
  synchronized long available(long now) {
    return spendable(now);
  }

  /** Returns the permits requested per second. */
  synchronized double demandPerSecond(long now) {
    double seconds = (now - demandSince) / 1e9;
    return seconds < 1 && demand >= 0 ? demand : requested / Math.max(1, seconds);
  }

  /** Returns the demand as an exponentially weighted moving average. */
  private double demand(long now) {
    long elapsed = now - demandSince;
    if (elapsed < MIN_DEMAND_TIME) return Math.max(0, demand);
    double latest = requested / (elapsed / 1e9);
    demand = demand < 0 ? latest : SMOOTHING * demand + (1 - SMOOTHING) * latest;
    requested = 0;
    demandSince = now;
    return demand;
  }

  synchronized String rule() {
    return counter.rule();
  }

  private static long micros(long nanos) {
    return Math.max(0, Math.ceilDiv(nanos, 1_000));
  }
}
