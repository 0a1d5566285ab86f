package io.headgate.outage;

import io.headgate.store.StoreException.Kind;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether the store is worth asking.
 *
 * <p>Opens at once when there is no connection, and after {@link #PATIENCE} failures of another
 * kind with no success among them. Only {@link #close} closes it: a late answer to a question asked
 * before the outage says nothing about now.
 *
 * <p>While nothing fails there is nothing to remember, so asking and noting a success are one
 * volatile read each.
 */
final class CircuitBreaker {
  static final int PATIENCE = 3;

  /** The failures since the last success. */
  private record Trouble(int failures, long since, Kind latest, boolean open) {
    static Trouble first(Kind kind, long now) {
      return new Trouble(1, now, kind, kind == Kind.CONNECTION);
    }

    Trouble and(Kind kind) {
      boolean opens = kind == Kind.CONNECTION || failures + 1 >= PATIENCE;
      return new Trouble(failures + 1, since, kind, opens);
    }
  }

  private final AtomicReference<@Nullable Trouble> trouble = new AtomicReference<>();

  boolean isOpen() {
    var seen = trouble.get();
    return seen != null && seen.open;
  }

  /** Whether something has failed since the last success. */
  boolean isTroubled() {
    return trouble.get() != null;
  }

  void succeeded() {
    for (var seen = trouble.get(); seen != null && !seen.open; seen = trouble.get()) {
      if (trouble.compareAndSet(seen, null)) return;
    }
  }

  /**
   * Notes a failure. Being overloaded or interrupted does not count: that is made here, by those
   * who wait, and if the store is to blame others will time out.
   *
   * @return whether this one opened the breaker
   */
  boolean failed(Kind kind, long now) {
    if (kind == Kind.OVERLOADED || kind == Kind.INTERRUPTED) return false;
    while (true) {
      var seen = trouble.get();
      if (seen != null && seen.open) return false;
      var next = seen == null ? Trouble.first(kind, now) : seen.and(kind);
      if (trouble.compareAndSet(seen, next)) return next.open;
    }
  }

  /** For whoever knows that the store is back. */
  void close() {
    trouble.set(null);
  }

  /** How long ago the first failure since the last success was; 0 if there was none. */
  long lasted(long now) {
    var seen = trouble.get();
    return seen == null ? 0 : now - seen.since;
  }

  /** What went wrong last, if anything has since the last success. */
  Kind latest() {
    var seen = trouble.get();
    return seen == null ? Kind.OTHER : seen.latest;
  }
}
