package io.headgate.server.counts;

/**
 * Mutable counters of checks by result. Not thread-safe.
 *
 * <p>A check may be counted in several fields. Every check is counted in {@code checks}, overall
 * {@code shadowDenied}, {@code delayed} and {@code unmatched} are subsets of {@code allowed}, and
 * {@code degraded} counts checks decided by a failure policy because the store was unavailable.
 */
public final class OutcomeCounts {
  public long checks;
  public long allowed;
  public long denied;
  public long shadowDenied;
  public long degraded;
  public long delayed;
  public long unmatched;

  /** Adds the counts of another object. */
  public void add(OutcomeCounts other) {
    checks += other.checks;
    allowed += other.allowed;
    denied += other.denied;
    shadowDenied += other.shadowDenied;
    degraded += other.degraded;
    delayed += other.delayed;
    unmatched += other.unmatched;
  }

  /** Returns an immutable copy. */
  public CheckCounts counts() {
    return new CheckCounts(checks, allowed, denied, shadowDenied, degraded, delayed, unmatched);
  }
}
