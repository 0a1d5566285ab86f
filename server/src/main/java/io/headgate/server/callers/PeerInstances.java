package io.headgate.server.callers;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The other instances that were heard of lately; no more than {@value #MOST}. */
public final class PeerInstances {
  static final int MOST = 64;

  private final long kept;
  private final LongSupplier nanos;
  private final Map<String, Long> heard = new HashMap<>(); // when; guarded by this

  /**
   * @param nanos as {@link System#nanoTime}
   */
  public PeerInstances(Duration kept, LongSupplier nanos) {
    this.kept = kept.toNanos();
    this.nanos = nanos;
  }

  /** Whoever is known stays known as long as it is heard of, also when no more can be. */
  public synchronized void heard(String name) {
    long now = forget();
    if (heard.size() < MOST || heard.containsKey(name)) heard.put(name, now);
  }

  public synchronized List<String> present() {
    forget();
    return List.copyOf(heard.keySet());
  }

  private synchronized long forget() {
    long now = nanos.getAsLong();
    heard.values().removeIf(when -> now - when > kept);
    return now;
  }
}
