package io.headgate.server.anomaly;

import java.util.Locale;

/** Formats figures of descriptions with three significant digits: 0.123, 12.3, 1,070, 107,000. */
final class ShortNumber {
  private static final int DIGITS = 3;

  /** Returns a number from 0 as text, without an exponent. */
  static String of(double value) {
    if (value < 0.001) return value == 0 ? "0" : "less than 0.001";
    int magnitude = (int) Math.floor(Math.log10(value));
    int decimals = DIGITS - 1 - magnitude;
    if (decimals >= 0) return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    double unit = Math.pow(10, -decimals);
    return String.format(Locale.ROOT, "%,.0f", Math.round(value / unit) * unit);
  }

  private ShortNumber() {}
}
