package io.headgate.internal.outage;

import io.headgate.store.StoreException.Kind;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker for a store: closed while requests are sent to it, open while they are not.
 *
 * <p>Opens after one failure of kind {@code CONNECTION}, and after {@link #FAILURE_THRESHOLD}
 * consecutive failures of other kinds. Only {@link #close} closes it, after a successful probe. The
 * late reply to a request that was sent before the outage does not, since it proves nothing about
 * the current state of the store. There is no half-open state for requests: probes take its place.
 *
 * <p>Thread-safe and lock-free. Without failures, {@link #isOpen} and {@link #succeeded} are one
 * volatile read each.
 */
final class CircuitBreaker {
  static final int FAILURE_THRESHOLD = 3;

  /**
   * The time without a success after which a store is treated as unavailable rather than late, in
   * microseconds. A connection on which nothing arrives for that long is closed.
   */
  static final long MAX_LATE = 1_000_000;

  /**
   * The failures since the last success.
   *
   * @param timeouts whether all of them are timeouts, so that the store may only be late
   * @param missed the shortest deadline that was missed
   */
  private record Failures(
      int count, long since, Kind latest, boolean open, boolean timeouts, long missed) {
    static Failures first(Kind kind, long now, long missed) {
      return new Failures(1, now, kind, kind == Kind.CONNECTION, kind == Kind.TIMEOUT, missed);
    }

    Failures plus(Kind kind, long deadline) {
      boolean opens = kind == Kind.CONNECTION || count + 1 >= FAILURE_THRESHOLD;
      boolean late = timeouts && kind == Kind.TIMEOUT;
      return new Failures(count + 1, since, kind, opens, late, Math.min(missed, deadline));
    }
  }

  private final AtomicReference<@Nullable Failures> failures = new AtomicReference<>();

  boolean isOpen() {
    var seen = failures.get();
    return seen != null && seen.open;
  }

  /**
   * Returns whether the store is unavailable, so that failure policies decide. False while the
   * circuit breaker is closed, and for {@link #MAX_LATE} while it is open only because of timeouts:
   * a store that is only late has the requests that timed out, and will have charged them.
   */
  boolean isOutage(long now) {
    var seen = failures.get();
    return seen != null && seen.open && (!seen.timeouts || now - seen.since >= MAX_LATE);
  }

  /** Returns the time of the first failure of the current outage; empty unless open. */
  OptionalLong openSince() {
    var seen = failures.get();
    return seen != null && seen.open ? OptionalLong.of(seen.since) : OptionalLong.empty();
  }

  /** Returns whether a request has failed since the last success. */
  boolean hasFailures() {
    return failures.get() != null;
  }

  /** Records a success. Has no effect while the circuit breaker is open. */
  void succeeded() {
    for (var seen = failures.get(); seen != null && !seen.open; seen = failures.get()) {
      if (failures.compareAndSet(seen, null)) return;
    }
  }

  /**
   * Records a failure. Kinds {@code OVERLOADED} and {@code INTERRUPTED} are not counted, since they
   * originate in this process. If a slow store causes the overload, other requests time out.
   *
   * @param deadline the deadline that was missed, in microseconds; {@link Long#MAX_VALUE} for none,
   *     and for the store's own, which limits every probe as well
   * @return whether this failure opened the circuit breaker
   */
  boolean failed(Kind kind, long now, long deadline) {
    if (kind == Kind.OVERLOADED || kind == Kind.FULL || kind == Kind.INTERRUPTED) return false;
    while (true) {
      var seen = failures.get();
      if (seen != null && seen.open) return false;
      var next = seen == null ? Failures.first(kind, now, deadline) : seen.plus(kind, deadline);
      if (failures.compareAndSet(seen, next)) return next.open;
    }
  }

  /** Closes the circuit breaker, because a probe has succeeded. */
  void close() {
    failures.set(null);
  }

  /** Returns the time since the first failure after the last success; 0 if there was none. */
  long outageDuration(long now) {
    var seen = failures.get();
    return seen == null ? 0 : now - seen.since;
  }

  /** Returns the shortest deadline that was missed since the last success; see {@link #failed}. */
  long missedDeadline() {
    var seen = failures.get();
    return seen == null ? Long.MAX_VALUE : seen.missed;
  }

  /** Returns the kind of the latest failure since the last success; OTHER if there was none. */
  Kind latestKind() {
    var seen = failures.get();
    return seen == null ? Kind.OTHER : seen.latest;
  }
}
