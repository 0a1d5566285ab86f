package io.headgate.server.watch;

/**
 * How many checks of some time ended how.
 *
 * @param shadowDenied allowed, though a rule in shadow mode would have denied
 * @param degraded decided by a rule's policy, for want of the store
 * @param failedOpen degraded and allowed
 */
public record Counts(long allowed, long denied, long shadowDenied, long degraded, long failedOpen) {
  public static final Counts NONE = new Counts(0, 0, 0, 0, 0);

  public long all() {
    return allowed + denied;
  }

  Counts plus(Counts others) {
    return new Counts(
        allowed + others.allowed,
        denied + others.denied,
        shadowDenied + others.shadowDenied,
        degraded + others.degraded,
        failedOpen + others.failedOpen);
  }
}
