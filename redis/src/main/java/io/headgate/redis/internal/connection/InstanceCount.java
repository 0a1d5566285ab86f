package io.headgate.redis.internal.connection;

import java.time.Duration;

/**
 * How many instances share a limit while the store is unavailable.
 *
 * <p>Grows at once, and shrinks only after a minute in which fewer were seen all the time and no
 * heartbeat failed: instances whose heartbeats were lost in an outage still admit requests, and a
 * share that grew because of that would be admitted beside theirs. Thread-safe; times are
 * nanoseconds of a steady clock.
 */
final class InstanceCount {
  static final long SHRINKS_AFTER_NANOS = Duration.ofMinutes(1).toNanos();

  private final long longestGap;
  private volatile int count = 1;
  private int highest = 1; // of the minute that is under way; guarded by this
  private long since; // guarded by this
  private long lastSeen; // guarded by this

  /**
   * @param longestGap a longer time without a heartbeat is an outage
   */
  InstanceCount(Duration longestGap, long now) {
    this.longestGap = longestGap.toNanos();
    this.since = now;
    this.lastSeen = now;
  }

  int count() {
    return count;
  }

  /** Notes how many a heartbeat has counted. */
  synchronized void seen(int instances, long now) {
    if (now - lastSeen > longestGap) failed(now);
    lastSeen = now;
    if (instances >= count) {
      count = instances;
      begin(now);
      return;
    }
    highest = Math.max(highest, instances);
    if (now - since < SHRINKS_AFTER_NANOS) return;
    count = highest;
    begin(now);
  }

  /** Notes that a heartbeat failed: what was seen since says nothing of those that are here. */
  synchronized void failed(long now) {
    begin(now);
  }

  private void begin(long now) {
    highest = 1;
    since = now;
  }
}
