package io.headgate.server.quota;

/**
 * The permits that one proxy may have spent without reporting them, or may still spend. A pure
 * value: each method returns the next one. Times are in nanoseconds of a monotonic clock.
 *
 * <p>An assignment is a token bucket that starts with its permits and is practically never
 * refilled. It ends when the proxy applies the next one, or when its lifetime is over. The
 * invariant is that {@code outstanding} is at least the number of permits that the proxy has spent
 * and not reported, plus those that it may spend until the assignment expires. So a hold of {@code
 * outstanding} permits covers the proxy, whatever it does.
 *
 * <p>The protocol does not acknowledge an assignment. A proxy may spend the previous one until the
 * new one arrives, so both are outstanding at first. A report that arrives a round trip after the
 * new assignment was sent was made under it. It contains all requests of the previous one, whose
 * unspent permits are void from then on.
 *
 * @param outstanding the permits that may have been spent without a report, or may still be spent
 * @param permits the permits of the assignment that was sent last; 0 if it denies
 * @param sentAt when the last message about the assignment was sent, from which it lasts
 * @param changedAt when the assignment was sent that may not have arrived yet
 * @param changing whether the previous assignment may still be in use
 */
record Assignment(long outstanding, long permits, long sentAt, long changedAt, boolean changing) {
  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  Assignment {
    if (outstanding < 0 || permits < 0) {
      throw new IllegalArgumentException(
          "permits can't be negative, got %d outstanding and %d assigned"
              .formatted(outstanding, permits));
    }
  }

  /** Returns the assignment of a proxy that has received none and is denied. */
  static Assignment none(long now) {
    return new Assignment(0, 0, now, now, false);
  }

  /**
   * The effect of a report.
   *
   * @param next the assignment after the report
   * @param spent the reported permits that were outstanding, which are to be charged
   * @param unassigned the reported permits that were not: the proxy has admitted them without an
   *     assignment
   * @param returned the permits that are neither spent nor outstanding any more
   */
  record Settled(Assignment next, long spent, long unassigned, long returned) {}

  /**
   * Settles a report.
   *
   * @param admitted the requests that the proxy has admitted since its previous report
   * @param roundTrip see {@link QuotaSettings#roundTrip}
   */
  Settled reported(long admitted, long now, long roundTrip) {
    long spent = Math.min(admitted, outstanding);
    long rest = outstanding - spent;
    // Fewer outstanding permits than the new assignment has: some of these have been spent.
    boolean arrived = changing && (now - changedAt >= roundTrip || rest < permits);
    long left = changing && !arrived ? rest : Math.min(rest, permits);
    var next = new Assignment(left, permits, sentAt, changedAt, changing && !arrived);
    return new Settled(next, spent, admitted - spent, rest - left);
  }

  /**
   * Returns the permits of earlier assignments that the proxy can't spend any more, since it has
   * applied the last one; how many of them it has spent is not known before it reports.
   */
  long ended(long now, long roundTrip) {
    return changing && now - changedAt >= roundTrip ? Math.max(0, outstanding - permits) : 0;
  }

  /** Returns the assignment after {@link #ended} permits were counted as spent. */
  Assignment withoutEnded(long ended) {
    return new Assignment(outstanding - ended, permits, sentAt, changedAt, false);
  }

  /** Returns the assignment after another one of {@code permits} was sent; 0 denies. */
  Assignment replaced(long permits, long now) {
    return new Assignment(Math.addExact(outstanding, permits), permits, now, now, true);
  }

  /**
   * Returns whether sending the same assignment again extends it. If it may have expired before the
   * message arrives, a proxy applies it as a new one, with all of its permits.
   */
  boolean isExtendable(long now, long ttl, long roundTrip) {
    return now - sentAt <= ttl - roundTrip;
  }

  /** Returns the assignment after the same one was sent again, while it is extendable. */
  Assignment extended(long now) {
    return new Assignment(outstanding, permits, now, changedAt, changing);
  }

  /** Returns whether no proxy applies the assignment any more, if nothing was sent since. */
  boolean isExpired(long now, long ttl, long roundTrip) {
    return now - sentAt >= ttl + roundTrip;
  }
}
