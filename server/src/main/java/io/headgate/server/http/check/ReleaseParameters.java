package io.headgate.server.http.check;

import io.headgate.http.TextSyntax;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.protocol.QueryString;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads the parameters of a release: how the call that held the slot ended. */
final class ReleaseParameters {
  private static final String OUTCOME = "outcome";
  private static final String DURATION = "durationMs";

  /** The parameters of a release. */
  static final Set<String> NAMES = Set.of(OUTCOME, DURATION);

  private static final Pattern MILLIS = Pattern.compile("[0-9]{1,13}(\\.[0-9]{1,6})?");
  private static final long MAX_MILLIS = CompletedCall.MAX_MICROS / 1_000;

  /**
   * Returns the call; empty if neither parameter is given.
   *
   * @throws ProblemException with status 400 if a parameter is invalid, or one of the two is absent
   */
  static Optional<CompletedCall> read(QueryString query) {
    var outcome = query.text(OUTCOME);
    var duration = query.text(DURATION);
    if (outcome.isEmpty() && duration.isEmpty()) return Optional.empty();
    if (outcome.isEmpty()) {
      throw ProblemException.badInput(
          OUTCOME, "is required with durationMs; allowed: success, error, dropped");
    }
    var ended = outcome(outcome.get());
    if (duration.isEmpty()) {
      throw ProblemException.badInput(
          DURATION, "is required with outcome; give the duration of the call in milliseconds");
    }
    return Optional.of(new CompletedCall(ended, micros(duration.get())));
  }

  private static CallOutcome outcome(String text) {
    for (var outcome : CallOutcome.values()) {
      if (outcome.name().toLowerCase(Locale.ROOT).equals(text)) return outcome;
    }
    throw ProblemException.badInput(
        OUTCOME,
        "must be one of success, error, dropped; got '%s'".formatted(TextSyntax.excerpt(text)));
  }

  private static long micros(String text) {
    if (MILLIS.matcher(text).matches()) {
      var micros = new BigDecimal(text).movePointRight(3);
      if (micros.compareTo(BigDecimal.valueOf(CompletedCall.MAX_MICROS)) <= 0) {
        return micros.longValue();
      }
    }
    throw ProblemException.badInput(
        DURATION,
        "must be a number of milliseconds such as 48 or 0.25, 0 to %d, got '%s'"
            .formatted(MAX_MILLIS, TextSyntax.excerpt(text)));
  }

  private ReleaseParameters() {}
}
