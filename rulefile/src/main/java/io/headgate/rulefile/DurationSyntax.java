package io.headgate.rulefile;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats the durations of rule files: {@code 250ms}, {@code 5m}. */
final class DurationSyntax {
  private static final Pattern WRITTEN = Pattern.compile("([0-9]{1,19})([a-zA-Z]+)");
  private static final Pattern PART =
      Pattern.compile("([0-9]{1,15}(?:\\.[0-9]{1,9})?) ?([a-z]+) ?");
  private static final Pattern ISO = Pattern.compile("(?<!['\\w])PT?(?:[0-9.]+[DHMS])++\\b");
  private static final int MAX_SUGGESTION_INPUT = 64; // longer texts get no suggested spelling
  private static final String EXAMPLES = "such as 250ms, 10s, 5m, 1h or 1d";

  /** The units of time, from short to long. */
  enum Unit {
    MICROSECOND(ChronoUnit.MICROS, "us"),
    MILLISECOND(ChronoUnit.MILLIS, "ms"),
    SECOND(ChronoUnit.SECONDS, "s"),
    MINUTE(ChronoUnit.MINUTES, "m"),
    HOUR(ChronoUnit.HOURS, "h"),
    DAY(ChronoUnit.DAYS, "d"),
    WEEK(ChronoUnit.WEEKS, "w"),
    MONTH(ChronoUnit.MONTHS, "mo"),
    YEAR(ChronoUnit.YEARS, "y");

    private final ChronoUnit length;
    private final String text;

    Unit(ChronoUnit length, String text) {
      this.length = length;
      this.text = text;
    }

    String text() {
      return text;
    }

    /** Returns whether this is the unit's symbol or name: min, minute and minutes are m. */
    private boolean isCalled(String name) {
      if (name.equals(text)) return true;
      String whole = EnumNames.text(this);
      boolean abbreviated = this == SECOND || this == MINUTE;
      return name.equals(whole)
          || name.equals(whole + "s")
          || (abbreviated && name.equals(whole.substring(0, 3)));
    }

    /** Returns whether the unit has no fixed length. */
    boolean varies() {
      return this == MONTH || this == YEAR;
    }

    private static Optional<Unit> find(String name) {
      return Arrays.stream(values()).filter(unit -> unit.isCalled(name)).findFirst();
    }
  }

  /** An amount of a unit. Months and years have no fixed length. */
  record Span(long amount, Unit unit) {
    String text() {
      return amount + unit.text();
    }

    /**
     * Returns the fixed length.
     *
     * @throws IllegalArgumentException for months and years, and if it exceeds a {@code Duration}
     */
    Duration length() {
      if (unit.varies()) {
        throw new IllegalArgumentException(
            "'%s' has no fixed length; months and years need a fixed-window with align: calendar"
                .formatted(text()));
      }
      try {
        return unit.length.getDuration().multipliedBy(amount);
      } catch (ArithmeticException e) {
        throw new IllegalArgumentException("'%s' is too long".formatted(text()), e);
      }
    }
  }

  /**
   * Parses a duration of fixed length.
   *
   * @throws IllegalArgumentException with a suggestion, if the text is not such a duration
   */
  static Duration parse(String text) {
    return span(text).length();
  }

  /**
   * Parses a duration that may be in months or years.
   *
   * @throws IllegalArgumentException with a suggestion, if the text is not a duration
   */
  static Span span(String text) {
    var written = WRITTEN.matcher(text);
    if (!written.matches()) throw notADuration(text);
    var unit = Unit.find(written.group(2));
    if (unit.isEmpty()) throw unknownUnit(text, written.group(2));
    try {
      return new Span(Long.parseLong(written.group(1)), unit.get());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("%s is too long".formatted(Excerpt.of(text)), e);
    }
  }

  /** Returns the unit of this symbol or name, such as {@code min} in {@code 100/min}. */
  static Optional<Unit> unit(String text) {
    return Unit.find(text);
  }

  /**
   * Returns the shortest text that parses to this duration.
   *
   * @throws IllegalArgumentException if it is negative or not a whole number of microseconds
   */
  static String text(Duration duration) {
    if (duration.isZero()) return "0s";
    for (var unit : List.of(Unit.values()).reversed()) {
      if (unit.varies()) continue;
      var one = unit.length.getDuration();
      if (duration.isNegative() || duration.compareTo(one) < 0) continue;
      long amount = duration.dividedBy(one);
      if (one.multipliedBy(amount).equals(duration)) return amount + unit.text();
    }
    throw new IllegalArgumentException(
        "%s is no positive number of whole microseconds".formatted(duration));
  }

  /** Replaces ISO 8601 durations in a message by those of rule files: {@code PT1M} by 1m. */
  static String asWritten(String message) {
    return ISO.matcher(message)
        .replaceAll(iso -> {
          try {
            return text(Duration.parse(iso.group()));
          } catch (RuntimeException e) {
            return Matcher.quoteReplacement(iso.group()); // not a duration
          }
        });
  }

  private static IllegalArgumentException unknownUnit(String text, String unit) {
    var other = Unit.find(unit.toLowerCase(Locale.ROOT));
    return new IllegalArgumentException(
        "%s has the unknown unit %s%s Allowed: us, ms, s, m, h, d, w (and mo, y in calendar windows)"
            .formatted(
                Excerpt.of(text),
                Excerpt.of(unit),
                NameSuggester.didYouMean(other.map(Unit::text))));
  }

  private static IllegalArgumentException notADuration(String text) {
    if (text.matches("[0-9]{1,18}")) {
      return new IllegalArgumentException(
          "'%s' has no unit; write %ss for seconds, or %sms, %sm, %sh"
              .formatted(text, text, text, text, text));
    }
    return new IllegalArgumentException(
        "%s is no duration%s Write a whole number and a unit, %s"
            .formatted(Excerpt.of(text), NameSuggester.didYouMean(inOneUnit(text)), EXAMPLES));
  }

  /** Returns durations such as {@code 1h30m} or {@code 1.5h} in one unit. */
  private static Optional<String> inOneUnit(String text) {
    if (text.length() > MAX_SUGGESTION_INPUT) return Optional.empty();
    var nanos = BigDecimal.ZERO;
    var part = PART.matcher(text);
    while (part.lookingAt()) {
      var unit = Unit.find(part.group(2)).filter(found -> !found.varies());
      if (unit.isEmpty()) return Optional.empty();
      var one = BigDecimal.valueOf(unit.get().length.getDuration().toNanos());
      nanos = nanos.add(new BigDecimal(part.group(1)).multiply(one));
      part.region(part.end(), text.length());
    }
    if (text.isEmpty() || part.regionStart() < text.length()) return Optional.empty();
    try {
      return Optional.of(text(Duration.ofNanos(nanos.longValueExact())));
    } catch (ArithmeticException | IllegalArgumentException e) {
      return Optional.empty(); // not whole microseconds, or more than fit
    }
  }

  private DurationSyntax() {}
}
