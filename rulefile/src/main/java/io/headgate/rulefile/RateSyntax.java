package io.headgate.rulefile;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.Window;
import io.headgate.rulefile.DurationSyntax.Span;
import java.time.ZoneId;

/**
 * Parses and formats the rates of rule files: {@code 100/1m}, {@code 10MB/hour}, {@code 100 per
 * day}.
 */
final class RateSyntax {
  static final String WANTED = "a rate such as 100/1m";
  private static final String PER = " per ";

  /** A parsed rate, whose period may have no fixed length. */
  public record Written(long permits, Span period) {
    /** Returns the rate; throws IllegalArgumentException if the period has no fixed length. */
    Rate rate() {
      return Rate.of(permits, period.length());
    }

    /** Returns a calendar window; throws IllegalArgumentException unless it is one unit long. */
    FixedWindow calendar(ZoneId zone) {
      return FixedWindow.of(permits, new Window.Calendar(calendarUnit(), zone));
    }

    private Window.Unit calendarUnit() {
      for (var unit : Window.Unit.values()) {
        if (period.amount() == 1 && period.unit().name().equals(unit.name())) return unit;
      }
      throw new IllegalArgumentException(
          "a calendar window is 1h, 1d, 1w, 1mo or 1y, got '%s'; for other lengths use align: epoch"
              .formatted(period.text()));
    }
  }

  /**
   * Parses a count and a period, separated by a slash or the word "per".
   *
   * @throws IllegalArgumentException if the text is not a rate
   */
  static Written parse(String text) {
    int slash = text.indexOf('/');
    int per = text.indexOf(PER);
    if (slash < 0 && per < 0) {
      throw new IllegalArgumentException(
          "%s has no period; write count/duration, such as 100/1m".formatted(Excerpt.of(text)));
    }
    long permits = CountSyntax.parse(text.substring(0, slash < 0 ? per : slash).strip());
    String period = text.substring(slash < 0 ? per + PER.length() : slash + 1).strip();
    var one = DurationSyntax.unit(period).map(unit -> new Span(1, unit));
    return new Written(permits, one.orElseGet(() -> DurationSyntax.span(period)));
  }

  /** Returns the shortest text that parses to this rate. */
  static String text(Rate rate) {
    return CountSyntax.text(rate.permits()) + "/" + DurationSyntax.text(rate.period());
  }

  /** Returns the shortest text that parses to the rate of this window. */
  static String text(FixedWindow window) {
    String period =
        switch (window.alignment()) {
          case Window.Epoch epoch -> DurationSyntax.text(epoch.length());
          case Window.Calendar calendar ->
              new Span(1, DurationSyntax.Unit.valueOf(calendar.unit().name())).text();
        };
    return CountSyntax.text(window.permits()) + "/" + period;
  }

  private RateSyntax() {}
}
