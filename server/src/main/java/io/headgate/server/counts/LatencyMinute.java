package io.headgate.server.counts;

import java.util.Arrays;
import java.util.Optional;

/** Latency histograms of each of the last {@value #SECONDS} seconds. Not thread-safe. */
public final class LatencyMinute {
  static final int SECONDS = 60;

  private final LatencyHistogram[] histograms = new LatencyHistogram[SECONDS];
  private final long[] slotSecond = new long[SECONDS]; // the second each slot holds

  public LatencyMinute() {
    Arrays.fill(histograms, new LatencyHistogram());
    Arrays.fill(slotSecond, Long.MIN_VALUE);
  }

  /**
   * Returns the histogram of a second, to be added to. Empty if the second is too old: a later one
   * has its slot.
   */
  public Optional<LatencyHistogram> histogram(long second) {
    int slot = slot(second);
    if (slotSecond[slot] > second) return Optional.empty();
    if (slotSecond[slot] < second) {
      histograms[slot] = new LatencyHistogram();
      slotSecond[slot] = second;
    }
    return Optional.of(histograms[slot]);
  }

  /** Returns the percentiles of the minute that ends with this second. */
  public Percentiles percentiles(long last) {
    var all = new LatencyHistogram();
    for (long second = last - SECONDS + 1; second <= last; second++) {
      int slot = slot(second);
      if (slotSecond[slot] == second) all.add(histograms[slot]);
    }
    return Percentiles.of(all);
  }

  private static int slot(long second) {
    return (int) Math.floorMod(second, (long) SECONDS);
  }
}
