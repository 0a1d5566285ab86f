package io.headgate.server.counts;

import java.util.Arrays;

/** How long the checks of each second took: exactly for a minute, then as percentiles. */
public final class LatencyRing {
  static final int EXACT_SECONDS = 60;

  private final LatencyHistogram[] exact = new LatencyHistogram[EXACT_SECONDS];
  private final long[] exactOf = new long[EXACT_SECONDS]; // the second that each slot holds
  private final Percentiles[] kept = new Percentiles[SecondRing.SECONDS];
  private final long[] keptOf = new long[SecondRing.SECONDS];

  public LatencyRing() {
    Arrays.fill(exact, new LatencyHistogram());
    Arrays.fill(exactOf, Long.MIN_VALUE);
    Arrays.fill(kept, Percentiles.NONE);
    Arrays.fill(keptOf, Long.MIN_VALUE);
  }

  public void add(long second, LatencyHistogram times) {
    int slot = place(second, EXACT_SECONDS);
    if (exactOf[slot] > second) return; // too late for it
    if (exactOf[slot] < second) {
      exact[slot] = new LatencyHistogram();
      exactOf[slot] = second;
    }
    exact[slot].add(times);
    int at = place(second, SecondRing.SECONDS);
    kept[at] = Percentiles.of(exact[slot]);
    keptOf[at] = second;
  }

  public Percentiles at(long second) {
    int at = place(second, SecondRing.SECONDS);
    return keptOf[at] == second ? kept[at] : Percentiles.NONE;
  }

  /** Of the minute that ends with this second. */
  public Percentiles minute(long last) {
    var all = new LatencyHistogram();
    for (long second = last - EXACT_SECONDS + 1; second <= last; second++) {
      int slot = place(second, EXACT_SECONDS);
      if (exactOf[slot] == second) all.add(exact[slot]);
    }
    return Percentiles.of(all);
  }

  private static int place(long second, int slots) {
    return (int) Math.floorMod(second, (long) slots);
  }
}
