package io.headgate.server.counts;

/** The checks of each of the last {@value SecondRing#SECONDS} seconds. Not thread-safe. */
public final class CheckRing {
  private static final int CHECKS = 0;
  private static final int ALLOWED = 1;
  private static final int DENIED = 2;
  private static final int SHADOW_DENIED = 3;
  private static final int DEGRADED = 4;

  private final SecondRing ring;

  /**
   * @param newest the first second of the ring
   */
  public CheckRing(long newest) {
    this.ring = new SecondRing(newest, 5);
  }

  public long newest() {
    return ring.newest();
  }

  /** Advances the ring to this second and clears the slots it reuses. */
  public void advance(long second) {
    ring.advance(second);
  }

  /**
   * Adds to a second, advancing the ring if it is newer. Ignored if the second has left the ring.
   */
  public void add(long second, OutcomeCounts outcomes) {
    ring.add(second, CHECKS, outcomes.checks);
    ring.add(second, ALLOWED, outcomes.allowed);
    ring.add(second, DENIED, outcomes.denied);
    ring.add(second, SHADOW_DENIED, outcomes.shadowDenied);
    ring.add(second, DEGRADED, outcomes.degraded);
  }

  /** Returns the counts of a second, or zeros if it is not in the ring. */
  public CheckCounts at(long second) {
    return new CheckCounts(
        ring.at(second, CHECKS),
        ring.at(second, ALLOWED),
        ring.at(second, DENIED),
        ring.at(second, SHADOW_DENIED),
        ring.at(second, DEGRADED));
  }

  /** Returns the sums of the given number of seconds up to {@code last}. */
  public CheckCounts sum(long last, int seconds) {
    var sum = CheckCounts.NONE;
    for (long second = last - seconds + 1; second <= last; second++) sum = sum.plus(at(second));
    return sum;
  }
}
