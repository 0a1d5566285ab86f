package io.headgate.limit;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.StringJoiner;

/**
 * Applies a limit to requests at given times, and prints the outcomes as one readable line.
 *
 * <p>A request is written as its time, such as {@code 250ms}, with its cost before it unless that
 * is 1: {@code 3@250ms}. The outcomes are the remaining permits ({@code ok:2}), the delay and the
 * remaining permits ({@code in100ms:2}), the retry time ({@code wait:100ms}) and {@code never}.
 */
final class Trace {
  private static final String[] UNITS = {"us", "ms", "s", "m", "h", "d"};
  private static final long[] UNIT_MICROS = {
    1, 1_000, 1_000_000, 60_000_000L, 3_600_000_000L, 86_400_000_000L
  };

  static String of(Limit limit, String requests) {
    State state = State.FRESH;
    var line = new StringJoiner(" ");
    for (var request : requests.split(" ", -1)) {
      var costAndTime = request.contains("@") ? request.split("@", 2) : new String[] {"1", request};
      var step = limit.step(state, micros(costAndTime[1]), Long.parseLong(costAndTime[0]));
      state = step.state();
      line.add(format(step.outcome()));
    }
    return line.toString();
  }

  static String format(Outcome outcome) {
    return switch (outcome) {
      case Passed passed ->
          (passed.delay() == 0 ? "ok:" : "in" + duration(passed.delay()) + ":")
              + passed.remaining();
      case Refused refused -> "wait:" + duration(refused.retryAfter());
      case ExceedsCapacity never -> "never";
    };
  }

  static long micros(String duration) {
    int digits = 0;
    while (Character.isDigit(duration.charAt(digits))) digits++;
    for (int i = 0; i < UNITS.length; i++) {
      if (duration.substring(digits).equals(UNITS[i])) {
        return Long.parseLong(duration.substring(0, digits)) * UNIT_MICROS[i];
      }
    }
    throw new IllegalArgumentException("not a duration: " + duration);
  }

  /** Formats a time in the largest unit, up to seconds, of which it is a whole number. */
  private static String duration(long micros) {
    int unit = micros % 1_000_000 == 0 ? 2 : micros % 1_000 == 0 ? 1 : 0;
    return micros / UNIT_MICROS[unit] + UNITS[unit];
  }

  private Trace() {}
}
