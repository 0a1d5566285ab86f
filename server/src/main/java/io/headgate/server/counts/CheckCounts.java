package io.headgate.server.counts;

/**
 * How many checks of some time ended how.
 *
 * @param asked of a rule, also those that another denied and those that a rule in shadow mode would
 *     have denied; of all, the sum of allowed and denied
 * @param shadowDenied allowed, though a rule in shadow mode would have denied
 * @param degraded decided by a rule's policy, for want of the store
 */
public record CheckCounts(long asked, long allowed, long denied, long shadowDenied, long degraded) {
  public static final CheckCounts NONE = new CheckCounts(0, 0, 0, 0, 0);

  public CheckCounts plus(CheckCounts others) {
    return new CheckCounts(
        asked + others.asked,
        allowed + others.allowed,
        denied + others.denied,
        shadowDenied + others.shadowDenied,
        degraded + others.degraded);
  }

  /** Whether a rule was more than asked: what another one denies it has no part in. */
  public boolean hadPart() {
    return allowed + denied + shadowDenied + degraded > 0;
  }
}
