package io.headgate.server.counts;

import java.util.Arrays;

/**
 * Latencies of the checks of each second: histograms for a minute, then percentiles only. Not
 * thread-safe.
 */
public final class LatencyRing {
  private final LatencyMinute minute = new LatencyMinute();
  private final Percentiles[] percentiles = new Percentiles[BucketRing.SECONDS];
  private final long[] slotSecond = new long[BucketRing.SECONDS]; // the second each slot holds

  public LatencyRing() {
    Arrays.fill(percentiles, Percentiles.NONE);
    Arrays.fill(slotSecond, Long.MIN_VALUE);
  }

  /** Adds latencies to a second. Ignored if the second is older than a minute. */
  public void add(long second, LatencyHistogram times) {
    minute
        .histogram(second)
        .ifPresent(histogram -> {
          histogram.add(times);
          percentiles[slot(second)] = Percentiles.of(histogram);
          slotSecond[slot(second)] = second;
        });
  }

  /** Returns the percentiles of one second. */
  public Percentiles at(long second) {
    int slot = slot(second);
    return slotSecond[slot] == second ? percentiles[slot] : Percentiles.NONE;
  }

  /** Returns the percentiles of the minute that ends with this second. */
  public Percentiles minute(long last) {
    return minute.percentiles(last);
  }

  private static int slot(long second) {
    return (int) Math.floorMod(second, (long) BucketRing.SECONDS);
  }
}
