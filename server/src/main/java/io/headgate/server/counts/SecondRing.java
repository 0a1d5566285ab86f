package io.headgate.server.counts;

/** A ring buffer with the counts of each of the last {@value #SECONDS} seconds. Not thread-safe. */
public final class SecondRing {
  public static final int SECONDS = 300;

  private final int[] checks = new int[SECONDS];
  private final int[] allowed = new int[SECONDS];
  private final int[] denied = new int[SECONDS];
  private final int[] shadowDenied = new int[SECONDS];
  private final int[] degraded = new int[SECONDS];
  private long newest;

  /**
   * @param newest the first second of the ring
   */
  public SecondRing(long newest) {
    this.newest = newest;
  }

  public long newest() {
    return newest;
  }

  /** Advances the ring to this second and clears the slots it reuses. */
  public void advance(long second) {
    if (second - newest >= SECONDS) newest = second - SECONDS; // clears all slots
    while (newest < second) clear(slot(++newest));
  }

  private void clear(int slot) {
    checks[slot] = 0;
    allowed[slot] = 0;
    denied[slot] = 0;
    shadowDenied[slot] = 0;
    degraded[slot] = 0;
  }

  /**
   * Adds to a second, advancing the ring if it is newer. Ignored if the second has left the ring.
   */
  public void add(long second, OutcomeCounts outcomes) {
    advance(second);
    if (newest - second >= SECONDS) return;
    int slot = slot(second);
    checks[slot] += (int) outcomes.checks;
    allowed[slot] += (int) outcomes.allowed;
    denied[slot] += (int) outcomes.denied;
    shadowDenied[slot] += (int) outcomes.shadowDenied;
    degraded[slot] += (int) outcomes.degraded;
  }

  /** Returns the counts of a second, or zeros if it is not in the ring. */
  public CheckCounts at(long second) {
    if (second > newest || newest - second >= SECONDS) return CheckCounts.NONE;
    int slot = slot(second);
    return new CheckCounts(
        checks[slot], allowed[slot], denied[slot], shadowDenied[slot], degraded[slot]);
  }

  /** Returns the sums of the given number of seconds up to {@code last}. */
  public CheckCounts sum(long last, int seconds) {
    var sum = CheckCounts.NONE;
    for (long second = last - seconds + 1; second <= last; second++) sum = sum.plus(at(second));
    return sum;
  }

  private static int slot(long second) {
    return (int) Math.floorMod(second, (long) SECONDS);
  }
}
