package io.headgate.server.counts;

/**
 * How many checks ended how. Not for several threads at once.
 *
 * <p>One may count in several: each is among the {@code asked}, {@code shadowDenied} of all are
 * among the allowed, {@code degraded} are those that a policy decided since the store was away.
 */
public final class OutcomeCounts {
  public long asked;
  public long allowed;
  public long denied;
  public long shadowDenied;
  public long degraded;

  public void add(OutcomeCounts others) {
    asked += others.asked;
    allowed += others.allowed;
    denied += others.denied;
    shadowDenied += others.shadowDenied;
    degraded += others.degraded;
  }

  public CheckCounts counts() {
    return new CheckCounts(asked, allowed, denied, shadowDenied, degraded);
  }
}
