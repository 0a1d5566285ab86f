package io.headgate.internal.consistency;

import io.headgate.internal.consistency.DenialCache.Sent;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Refused;
import io.headgate.rule.Charge;

/**
 * A refusal by the store that is repeated locally, until it expires or is invalidated. Times are
 * values of {@code System.nanoTime}. Thread-safe.
 *
 * <p>Expires as counted from before the request was sent, so it never outlives the refusal. The
 * times reported to callers count from the reply, so that a retry at that time is not too early.
 */
final class Denial {
  /** The maximum age, since the notification of a change may have been lost. */
  private static final long MAX_AGE = 1_000_000_000;

  private final Limit limit;
  private final long cost;
  private final boolean leased;
  private final long until;
  private final long retryAt;
  private final long resetAt;
  private final long invalidations;
  private volatile boolean invalidated;

  /**
   * Creates a denial.
   *
   * @param charge the charge that was refused
   * @param leased whether the rule is leased
   * @param pause the minimum time from the reply on for which to deny, in microseconds
   * @param sent when the request was sent
   * @param now the time of the reply
   */
  Denial(Charge charge, Refused refused, boolean leased, long pause, Sent sent, long now) {
    long wait = refused.retryAfter() * 1_000;
    this.limit = charge.limit();
    this.cost = charge.cost();
    this.leased = leased;
    long certain = Math.min(refused.certainFor() * 1_000, MAX_AGE);
    this.until = now + Math.max(sent.at() - now + certain, pause * 1_000);
    this.retryAt = now + Math.max(wait, pause * 1_000);
    this.resetAt = now + refused.resetAfter() * 1_000;
    this.invalidations = sent.invalidations();
  }

  /** Returns whether the denial still applies. */
  boolean isActive(long now) {
    return now - until < 0 && !invalidated;
  }

  /** Returns whether the denial is of a leased rule. */
  boolean isLeased() {
    return leased;
  }

  /** Returns whether the denial is of this limit; a changed limit may let the request pass. */
  boolean isOf(Limit other) {
    return limit.equals(other);
  }

  /** Returns the cost that was refused. */
  long cost() {
    return cost;
  }

  /** Returns the number of invalidations of counters before the request was sent. */
  long invalidations() {
    return invalidations;
  }

  /** Ends the denial. */
  void invalidate() {
    invalidated = true;
  }

  /** Returns the outcome of a request that is denied, with the given remaining permits. */
  Refused outcome(long remaining, long now) {
    return new Refused(remaining, micros(resetAt - now), micros(retryAt - now));
  }

  private static long micros(long nanos) {
    return Math.max(1, Math.ceilDiv(nanos, 1_000));
  }
}
