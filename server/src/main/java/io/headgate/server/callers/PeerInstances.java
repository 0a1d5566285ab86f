package io.headgate.server.callers;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The other instances seen recently, at most {@value #MAX_INSTANCES}. Thread-safe. */
public final class PeerInstances {
  static final int MAX_INSTANCES = 64;

  private final long timeToLive;
  private final LongSupplier nanos;
  private final Map<String, Long> lastSeen = new HashMap<>(); // nanoseconds, guarded by this

  /**
   * @param timeToLive how long an instance is kept after its last sign of life
   * @param nanos as {@link System#nanoTime}
   */
  public PeerInstances(Duration timeToLive, LongSupplier nanos) {
    this.timeToLive = timeToLive.toNanos();
    this.nanos = nanos;
  }

  /** Records a sign of life. When the table is full, only known instances are updated. */
  public synchronized void seen(String name) {
    long now = expire();
    if (lastSeen.size() < MAX_INSTANCES || lastSeen.containsKey(name)) lastSeen.put(name, now);
  }

  /** Returns the names of the instances seen recently. */
  public synchronized List<String> present() {
    expire();
    return List.copyOf(lastSeen.keySet());
  }

  private synchronized long expire() {
    long now = nanos.getAsLong();
    lastSeen.values().removeIf(when -> now - when > timeToLive);
    return now;
  }
}
