package io.headgate.server.counts;

/** Counts of the last {@value #SECONDS} seconds, one for each. */
public final class SecondRing {
  public static final int SECONDS = 300;

  private final int[] asked = new int[SECONDS];
  private final int[] allowed = new int[SECONDS];
  private final int[] denied = new int[SECONDS];
  private final int[] shadowDenied = new int[SECONDS];
  private final int[] degraded = new int[SECONDS];
  private long newest;

  /**
   * @param newest the second that it begins with
   */
  public SecondRing(long newest) {
    this.newest = newest;
  }

  public long newest() {
    return newest;
  }

  /** Makes room for the seconds up to this one. */
  public void advance(long second) {
    if (second - newest >= SECONDS) newest = second - SECONDS; // all of them are cleared
    while (newest < second) clear(place(++newest));
  }

  private void clear(int at) {
    asked[at] = 0;
    allowed[at] = 0;
    denied[at] = 0;
    shadowDenied[at] = 0;
    degraded[at] = 0;
  }

  /** Adds to a second that it has, or has room for; what is older is forgotten already. */
  public void add(long second, OutcomeCounts outcomes) {
    advance(second);
    if (newest - second >= SECONDS) return;
    int at = place(second);
    asked[at] += (int) outcomes.asked;
    allowed[at] += (int) outcomes.allowed;
    denied[at] += (int) outcomes.denied;
    shadowDenied[at] += (int) outcomes.shadowDenied;
    degraded[at] += (int) outcomes.degraded;
  }

  public CheckCounts at(long second) {
    if (second > newest || newest - second >= SECONDS) return CheckCounts.NONE;
    int at = place(second);
    return new CheckCounts(asked[at], allowed[at], denied[at], shadowDenied[at], degraded[at]);
  }

  /** Of the seconds up to this one. */
  public CheckCounts sum(long last, int seconds) {
    var sum = CheckCounts.NONE;
    for (long second = last - seconds + 1; second <= last; second++) sum = sum.plus(at(second));
    return sum;
  }

  private static int place(long second) {
    return (int) Math.floorMod(second, (long) SECONDS);
  }
}
