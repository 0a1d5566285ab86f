package io.headgate.server.counts;

/**
 * Number of checks of some period, by result. Immutable.
 *
 * @param checks for a rule, the checks it applied to, including those another rule denied and those
 *     a rule in shadow mode would have denied; overall, the sum of allowed and denied
 * @param shadowDenied allowed, although a rule in shadow mode would have denied
 * @param degraded decided by a rule's failure policy because the store was unavailable
 * @param delayed allowed after a wait in a queue; for a rule, in a queue of its own
 * @param unmatched allowed because no enforced rule applied; 0 for a rule
 */
public record CheckCounts(
    long checks,
    long allowed,
    long denied,
    long shadowDenied,
    long degraded,
    long delayed,
    long unmatched) {
  public static final CheckCounts NONE = new CheckCounts(0, 0, 0, 0, 0, 0, 0);

  /** Returns the sums of both. */
  public CheckCounts plus(CheckCounts other) {
    return new CheckCounts(
        checks + other.checks,
        allowed + other.allowed,
        denied + other.denied,
        shadowDenied + other.shadowDenied,
        degraded + other.degraded,
        delayed + other.delayed,
        unmatched + other.unmatched);
  }

  /**
   * Returns whether the rule contributed to a decision. A check that another rule denied does not
   * count.
   */
  public boolean contributed() {
    return allowed + denied + shadowDenied + degraded > 0;
  }
}
