package io.headgate.server.counts;

import java.util.Arrays;

/**
 * Latencies of the checks of each second: histograms for a minute, then percentiles only. Not
 * thread-safe.
 */
public final class LatencyRing {
  static final int HISTOGRAM_SECONDS = 60;

  private final LatencyHistogram[] histograms = new LatencyHistogram[HISTOGRAM_SECONDS];
  private final long[] histogramSecond = new long[HISTOGRAM_SECONDS]; // the second each slot holds
  private final Percentiles[] percentiles = new Percentiles[SecondRing.SECONDS];
  private final long[] percentilesSecond = new long[SecondRing.SECONDS];

  public LatencyRing() {
    Arrays.fill(histograms, new LatencyHistogram());
    Arrays.fill(histogramSecond, Long.MIN_VALUE);
    Arrays.fill(percentiles, Percentiles.NONE);
    Arrays.fill(percentilesSecond, Long.MIN_VALUE);
  }

  /** Adds latencies to a second. Ignored if the second is older than a minute. */
  public void add(long second, LatencyHistogram times) {
    int slot = slot(second, HISTOGRAM_SECONDS);
    if (histogramSecond[slot] > second) return; // the slot has been reused
    if (histogramSecond[slot] < second) {
      histograms[slot] = new LatencyHistogram();
      histogramSecond[slot] = second;
    }
    histograms[slot].add(times);
    int at = slot(second, SecondRing.SECONDS);
    percentiles[at] = Percentiles.of(histograms[slot]);
    percentilesSecond[at] = second;
  }

  /** Returns the percentiles of one second. */
  public Percentiles at(long second) {
    int at = slot(second, SecondRing.SECONDS);
    return percentilesSecond[at] == second ? percentiles[at] : Percentiles.NONE;
  }

  /** Returns the percentiles of the minute that ends with this second. */
  public Percentiles minute(long last) {
    var all = new LatencyHistogram();
    for (long second = last - HISTOGRAM_SECONDS + 1; second <= last; second++) {
      int slot = slot(second, HISTOGRAM_SECONDS);
      if (histogramSecond[slot] == second) all.add(histograms[slot]);
    }
    return Percentiles.of(all);
  }

  private static int slot(long second, int slots) {
    return (int) Math.floorMod(second, (long) slots);
  }
}
