package io.headgate.server.stats;

import io.headgate.server.counts.LatencyHistogram;
import io.headgate.server.counts.Percentiles;
import java.util.function.LongSupplier;

/**
 * How long calls to the store took in the last minute. A call carries many questions, so there are
 * few of them, and a lock costs nothing.
 */
public final class StoreLatency {
  private static final int SECONDS = 60;

  private final LongSupplier clock;
  private final LatencyHistogram[] times = new LatencyHistogram[SECONDS];
  private final long[] of = new long[SECONDS]; // the second that each slot holds

  public StoreLatency() {
    this(System::currentTimeMillis);
  }

  /**
   * @param clock milliseconds since 1970
   */
  StoreLatency(LongSupplier clock) {
    this.clock = clock;
    for (int i = 0; i < SECONDS; i++) times[i] = new LatencyHistogram();
  }

  public synchronized void took(long nanos) {
    long second = second();
    int slot = (int) Math.floorMod(second, (long) SECONDS);
    if (of[slot] != second) {
      times[slot] = new LatencyHistogram();
      of[slot] = second;
    }
    times[slot].record(nanos);
  }

  public synchronized Percentiles lastMinute() {
    var all = new LatencyHistogram();
    long now = second();
    for (int i = 0; i < SECONDS; i++) {
      if (now - of[i] < SECONDS) all.add(times[i]);
    }
    return Percentiles.of(all);
  }

  private long second() {
    return Math.floorDiv(clock.getAsLong(), 1_000L);
  }
}
