package io.headgate.limit;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongFunction;

/** Fixed window: a count for each window that there ever was, by the window's name. */
final class SlowFixedWindow extends Slow {
  private long latest = Long.MIN_VALUE;
  private final long permits;
  private final LongFunction<Object> name;
  private final Map<Object, Long> counts = new HashMap<>();

  /**
   * @param name tells for any time in which window it lies
   */
  SlowFixedWindow(long permits, LongFunction<Object> name) {
    this.permits = permits;
    this.name = name;
  }

  @Override
  void see(long now) {
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

  /** A window that was entered is not left again by a clock that steps back. */
  private Object window(long now) {
    return name.apply(Math.max(now, latest));
  }
}
