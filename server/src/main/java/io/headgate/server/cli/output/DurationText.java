package io.headgate.server.cli.output;

import java.time.Duration;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses durations of options and formats durations for output: {@code 250ms}, {@code 10s}. */
public final class DurationText implements ITypeConverter<Duration> {
  private static final Pattern PATTERN = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

  @Override
  public Duration convert(String value) {
    var matcher = PATTERN.matcher(value);
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'%s' is not a duration; use a number and a unit, such as 500ms, 10s or 1m"
              .formatted(value));
    }
    long amount = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }

  /** Formats a duration with its two largest units, rounded up. */
  public static String text(long millis) {
    if (millis < 1_000) return millis + "ms";
    long tenths = Math.ceilDiv(millis, 100L);
    if (tenths < 100 && tenths % 10 > 0) return "%d.%ds".formatted(tenths / 10, tenths % 10);
    var rounded = Duration.ofSeconds(Math.ceilDiv(millis, 1_000L));
    if (rounded.toMinutes() == 0) return rounded.toSeconds() + "s";
    if (rounded.toHours() == 0) return pair(rounded.toMinutes(), "m", rounded.toSecondsPart(), "s");
    if (rounded.toDays() == 0) return pair(rounded.toHours(), "h", rounded.toMinutesPart(), "m");
    return pair(rounded.toDays(), "d", rounded.toHoursPart(), "h");
  }

  private static String pair(long large, String largeUnit, long small, String smallUnit) {
    return large + largeUnit + (small == 0 ? "" : " " + small + smallUnit);
  }
}
