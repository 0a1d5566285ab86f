package io.headgate.server.cli.size;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses numbers of options and formats numbers for output: {@code 5M}, {@code 10k}. */
public final class QuantityText implements ITypeConverter<Long> {
  /** The highest number that is accepted. */
  static final long MAX = 1_000_000_000_000L;

  private static final Pattern PATTERN =
      Pattern.compile("([0-9_,]{1,20}(?:\\.[0-9]{1,6})?)([kMG]?)");

  @Override
  public Long convert(String value) {
    var matcher = PATTERN.matcher(value);
    String digits = matcher.matches() ? matcher.group(1).replaceAll("[_,]", "") : "";
    if (digits.isEmpty() || digits.startsWith(".")) throw notANumber(value);
    long factor =
        switch (matcher.group(2)) {
          case "k" -> 1_000;
          case "M" -> 1_000_000;
          case "G" -> 1_000_000_000;
          default -> 1;
        };
    try {
      long number = new BigDecimal(digits).multiply(BigDecimal.valueOf(factor)).longValueExact();
      if (number <= MAX) return number;
    } catch (ArithmeticException e) {
      throw notANumber(value);
    }
    throw new TypeConversionException(
        String.format(Locale.ROOT, "'%s' is too large; at most %,d", value, MAX));
  }

  private static TypeConversionException notANumber(String value) {
    return new TypeConversionException(
        "'%s' is not a whole number; use digits with k, M or G, such as 500, 10k, 1.5M"
            .formatted(value));
  }

  /** Formats bytes in decimal units, with three digits at least. */
  public static String bytes(double bytes) {
    String[] units = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    double value = bytes;
    while (value >= 9_999.5 && unit < units.length - 1) {
      value /= 1_000;
      unit++;
    }
    return String.format(Locale.ROOT, "%,.0f %s", value, units[unit]);
  }
}
