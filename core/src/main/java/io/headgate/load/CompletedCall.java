package io.headgate.load;

import java.time.Duration;

/**
 * A call that has ended, as the client that made it reports it with the release of its slot.
 *
 * @param outcome how it ended
 * @param durationMicros how long it took, from 0 to {@link #MAX_MICROS}
 */
public record CompletedCall(CallOutcome outcome, long durationMicros) {
  /** The longest duration of a call: 100 years. Doubles represent it exactly. */
  public static final long MAX_MICROS = Duration.ofDays(36_525).toMillis() * 1_000;

  /** Validates the duration; throws {@link IllegalArgumentException} if it is out of range. */
  public CompletedCall {
    if (durationMicros < 0 || durationMicros > MAX_MICROS) {
      throw new IllegalArgumentException(
          "the duration of a call must be from 0 to %d µs, got %d"
              .formatted(MAX_MICROS, durationMicros));
    }
  }

  /**
   * Creates a call.
   *
   * @param duration how long it took, from 0 to 100 years; parts of a microsecond are dropped
   * @throws IllegalArgumentException if the duration is out of range
   */
  public static CompletedCall of(CallOutcome outcome, Duration duration) {
    if (duration.isNegative() || duration.compareTo(Duration.ofDays(36_525)) > 0) {
      throw new IllegalArgumentException(
          "the duration of a call must be from 0 to 100 years, got " + duration);
    }
    return new CompletedCall(
        outcome, duration.getSeconds() * 1_000_000 + duration.getNano() / 1_000);
  }
}
