package io.headgate.internal.script;

import java.time.Duration;

/**
 * The number of instances that divide a limit while the store is unavailable.
 *
 * <p>It grows immediately. It shrinks only after a minute in which all counts were lower and no
 * heartbeat failed: instances whose heartbeats were lost in an outage still admit requests, so a
 * larger share for the others would exceed the limit. Thread-safe. Times are nanoseconds of a
 * monotonic clock.
 */
public final class InstanceCount {
  static final long SHRINK_DELAY_NANOS = Duration.ofMinutes(1).toNanos();

  private final long maxGap;
  private volatile int count = 1;
  private int maxSeen = 1; // of the current period; guarded by this
  private long periodStart; // guarded by this
  private long lastHeartbeat; // guarded by this

  /**
   * Creates a count of one instance.
   *
   * @param maxGap a longer time without a heartbeat counts as an outage
   */
  public InstanceCount(Duration maxGap, long now) {
    this.maxGap = maxGap.toNanos();
    this.periodStart = now;
    this.lastHeartbeat = now;
  }

  /** Returns the number of instances. */
  public int count() {
    return count;
  }

  /** Records the number of instances that a heartbeat returned. */
  public synchronized void record(int instances, long now) {
    if (now - lastHeartbeat > maxGap) heartbeatFailed(now);
    lastHeartbeat = now;
    if (instances >= count) {
      count = instances;
      restartPeriod(now);
      return;
    }
    maxSeen = Math.max(maxSeen, instances);
    if (now - periodStart < SHRINK_DELAY_NANOS) return;
    count = maxSeen;
    restartPeriod(now);
  }

  /** Records that a heartbeat failed, which restarts the period of lower counts. */
  public synchronized void heartbeatFailed(long now) {
    restartPeriod(now);
  }

  private void restartPeriod(long now) {
    maxSeen = 1;
    periodStart = now;
  }
}
