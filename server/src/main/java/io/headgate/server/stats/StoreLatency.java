package io.headgate.server.stats;

import io.headgate.server.counts.LatencyMinute;
import io.headgate.server.counts.MonotonicClock;
import io.headgate.server.counts.Percentiles;
import java.util.function.LongSupplier;

/**
 * Latencies of the calls to the store in the last minute. Thread-safe. A call carries a batch of
 * commands, so there are few calls, and the lock is uncontended.
 */
public final class StoreLatency {
  private final LongSupplier clock;
  private final LatencyMinute minute = new LatencyMinute();

  public StoreLatency() {
    this(new MonotonicClock());
  }

  /**
   * @param clock milliseconds since the epoch; must not go back
   */
  StoreLatency(LongSupplier clock) {
    this.clock = clock;
  }

  /** Records the latency of one call. */
  public synchronized void record(long nanos) {
    minute.histogram(second()).ifPresent(histogram -> histogram.record(nanos));
  }

  /** Returns the percentiles of the last minute. */
  public synchronized Percentiles lastMinute() {
    return minute.percentiles(second());
  }

  private long second() {
    return Math.floorDiv(clock.getAsLong(), 1_000L);
  }
}
