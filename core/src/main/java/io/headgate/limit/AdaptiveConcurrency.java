package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import io.headgate.load.CallSample;
import io.headgate.load.CompletedCall;
import io.headgate.load.ConcurrencyController;
import java.time.Duration;

/**
 * A concurrency limit that finds its number of slots by itself, between {@code min} and {@code
 * max}. Each {@linkplain #release(State, long, long, CompletedCall) release} after a call carries
 * the outcome and the duration of the call, and a {@link ConcurrencyController} derives the limit
 * from them.
 *
 * <p>Only calls that hold a slot are learned from, each once. A slot that is released without an
 * outcome, or that expires, becomes free and teaches nothing: a client that crashed, or that never
 * releases, says nothing of the load of the backend, and must not lower the limit of the others.
 *
 * <p>The duration is a claim of the client. It counts as at most the age of the slot, unless a slot
 * was renewed or the lease was changed; the ages of the slots are known again when the slots in
 * flight at that time have expired. What was learned is kept for {@link #RETENTION} after the last
 * call.
 *
 * @param min the lowest number of slots. Also the highest cost of a request, since a higher one
 *     would not pass while the limit is at its lowest
 * @param max the highest number of slots, at most {@link Concurrency#MAX_SLOTS}
 * @param initial the number of slots before anything is learned
 * @param lease the time after which a slot expires unless it is renewed
 */
public record AdaptiveConcurrency(long min, long max, long initial, Duration lease)
    implements SlotLimit {
  /** How long the learned limit is kept after the last call that was learned from. */
  public static final Duration RETENTION = Duration.ofMinutes(10);

  /** The {@code min} of a limit that sets none. */
  public static final long DEFAULT_MIN = 1;

  /**
   * The {@code initial} of a limit that sets none, unless {@code min} or {@code max} exclude it.
   */
  public static final long DEFAULT_INITIAL = 20;

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public AdaptiveConcurrency {
    require(
        max >= 1 && max <= Concurrency.MAX_SLOTS,
        "max must be 1 to %d, got %d",
        Concurrency.MAX_SLOTS,
        max);
    require(min >= 1 && min <= max, "min must be 1 to max (%d), got %d", max, min);
    require(
        initial >= min && initial <= max,
        "initial must be from min to max (%d to %d), got %d",
        min,
        max,
        initial);
    Bounds.requireDuration("a lease", lease);
  }

  /**
   * Creates a limit with the default {@code initial}, or the nearest number between {@code min} and
   * {@code max}, and {@link Concurrency#DEFAULT_LEASE}.
   */
  public static AdaptiveConcurrency between(long min, long max) {
    return new AdaptiveConcurrency(min, max, defaultInitial(min, max), Concurrency.DEFAULT_LEASE);
  }

  /**
   * Returns {@link #DEFAULT_INITIAL}, or the nearest number between {@code min} and {@code max}.
   */
  public static long defaultInitial(long min, long max) {
    return Math.max(min, Math.min(max, DEFAULT_INITIAL));
  }

  /** Returns this limit with another initial number of slots. */
  public AdaptiveConcurrency withInitial(long initial) {
    return new AdaptiveConcurrency(min, max, initial, lease);
  }

  /** Returns this limit with another lease. */
  public AdaptiveConcurrency withLease(Duration lease) {
    return new AdaptiveConcurrency(min, max, initial, lease);
  }

  /** Returns the present number of slots. */
  public long limitOf(AdaptiveState state) {
    return Math.clamp(state.controller().limit(), min, max);
  }

  @Override
  public Step step(State state, long now, long cost, long holder) {
    var own = adopt(state, now);
    long limit = limitOf(own);
    var step = own.slots().acquire(limit, maxCost(), now, now + window(), cost, holder, limit);
    return new Step(own.withSlots((ConcurrencyState) step.state()), step.outcome());
  }

  /**
   * Releases the holder's slots and learns from the call. Nothing is learned if the holder has no
   * slot. A state of another limit is not learned from until a request has converted it.
   */
  @Override
  public State release(State state, long now, long holder, CompletedCall call) {
    if (!(state instanceof AdaptiveState own)) return release(state, now, holder);
    var slots = own.slots().at(now);
    long end = slots.endOf(holder);
    if (end == 0) return own.withSlots(slots);
    long duration = Math.min(call.durationMicros(), own.maxAge(now, end));
    var sample = new CallSample(duration, (int) slots.held(), call.outcome());
    return own.learned(controller().completed(own.controller(), now, sample), now)
        .withSlots(slots.without(holder));
  }

  private ConcurrencyController controller() {
    return new ConcurrencyController((int) min, (int) max, (int) initial);
  }

  @Override
  public AdaptiveState adopt(State state, long now) {
    return switch (state) {
      case AdaptiveState own when own.freshAt() > now -> own.at(now, window());
      case ConcurrencyState other -> {
        var slots = other.at(now);
        yield new AdaptiveState(slots, controller().start(), 0, window(), slots.freshAt());
      }
      default -> {
        var empty = AdaptiveState.empty(controller().start(), window());
        yield state instanceof AdaptiveState own && own.equalsEmpty(empty) ? own : empty;
      }
    };
  }

  @Override
  public AdaptiveConcurrency dividedBy(int n) {
    long part = Utilization.partOf(n, max);
    if (n == 1) return this;
    return new AdaptiveConcurrency(
        Utilization.partOf(n, min), part, Utilization.partOf(n, initial), lease);
  }

  /** Returns {@code max}, the highest number of slots. */
  @Override
  public long capacity() {
    return max;
  }

  @Override
  public long maxCost() {
    return Math.min(min, Concurrency.MAX_COST);
  }

  @Override
  public long window() {
    return Bounds.micros(lease);
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.ADAPTIVE_CONCURRENCY;
  }
}
