package io.headgate.load;

import java.util.Objects;

/**
 * The measurement of one completed call. Values out of range are clamped, so that no report can
 * break a controller.
 *
 * @param durationMicros the time from acquisition to release in microseconds, clamped to 0 and
 *     {@link #MAX_DURATION_MICROS}
 * @param inFlight the number of calls in flight when the call completed, itself included, clamped
 *     to 1 and {@link ConcurrencyController#MAX_LIMIT}
 * @param outcome how the call ended
 */
public record CallSample(long durationMicros, int inFlight, CallOutcome outcome) {
  /** The longest duration that is measured: one hour. Longer ones count as this. */
  public static final long MAX_DURATION_MICROS = 3_600_000_000L;

  /** Clamps the numbers; throws {@link NullPointerException} if there is no outcome. */
  public CallSample {
    durationMicros = Math.clamp(durationMicros, 0, MAX_DURATION_MICROS);
    inFlight = Math.clamp(inFlight, 1, ConcurrencyController.MAX_LIMIT);
    Objects.requireNonNull(outcome, "outcome");
  }
}
