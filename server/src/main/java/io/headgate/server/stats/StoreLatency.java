package io.headgate.server.stats;

import io.headgate.server.counts.LatencyHistogram;
import io.headgate.server.counts.Percentiles;
import java.util.function.LongSupplier;

/**
 * Latencies of the calls to the store in the last minute. Thread-safe. A call carries a batch of
 * commands, so there are few calls, and the lock is uncontended.
 */
public final class StoreLatency {
  private static final int SECONDS = 60;

  private final LongSupplier clock;
  private final LatencyHistogram[] histograms = new LatencyHistogram[SECONDS];
  private final long[] slotSecond = new long[SECONDS]; // the second each slot holds

  public StoreLatency() {
    this(System::currentTimeMillis);
  }

  /**
   * @param clock milliseconds since the epoch
   */
  StoreLatency(LongSupplier clock) {
    this.clock = clock;
    for (int i = 0; i < SECONDS; i++) histograms[i] = new LatencyHistogram();
  }

  /** Records the latency of one call. */
  public synchronized void record(long nanos) {
    long second = second();
    int slot = (int) Math.floorMod(second, (long) SECONDS);
    if (slotSecond[slot] != second) {
      histograms[slot] = new LatencyHistogram();
      slotSecond[slot] = second;
    }
    histograms[slot].record(nanos);
  }

  /** Returns the percentiles of the last minute. */
  public synchronized Percentiles lastMinute() {
    var all = new LatencyHistogram();
    long now = second();
    for (int i = 0; i < SECONDS; i++) {
      if (now - slotSecond[i] < SECONDS) all.add(histograms[i]);
    }
    return Percentiles.of(all);
  }

  private long second() {
    return Math.floorDiv(clock.getAsLong(), 1_000L);
  }
}
