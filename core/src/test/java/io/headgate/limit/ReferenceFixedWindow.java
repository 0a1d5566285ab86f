package io.headgate.limit;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongFunction;

/** Reference for fixed window: a count for each window, by the window's name. */
final class ReferenceFixedWindow extends ReferenceLimit {
  private long latest = Long.MIN_VALUE;
  private final long permits;
  private final LongFunction<Object> name;
  private final Map<Object, Long> counts = new HashMap<>();

  /**
   * Creates a reference limit.
   *
   * @param name maps a time to its window
   */
  ReferenceFixedWindow(long permits, LongFunction<Object> name) {
    this.permits = permits;
    this.name = name;
  }

  @Override
  void observe(long now) {
    latest = Math.max(latest, now);
  }

  @Override
  long capacity() {
    return permits;
  }

  @Override
  long room(long now) {
    return permits - count(now);
  }

  @Override
  boolean fresh(long now) {
    return count(now) == 0;
  }

  @Override
  void take(long now, long cost) {
    counts.merge(window(now), cost, Long::sum);
  }

  private long count(long now) {
    return counts.getOrDefault(window(now), 0L);
  }

  /** A window continues if the clock steps back. */
  private Object window(long now) {
    return name.apply(Math.max(now, latest));
  }
}
