package io.headgate.rulefile;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Parses and formats the whole numbers of rule files: {@code 100}, {@code 1_000}, {@code 1,000},
 * {@code 10k}, {@code 1GiB}.
 */
final class CountSyntax {
  /** Digits, or groups of three digits, all separated by the same character. */
  private static final Pattern WRITTEN =
      Pattern.compile("([0-9]++|[0-9]{1,3}(?:(?:_[0-9]{3})++|(?:,[0-9]{3})++))([a-zA-Z]*)");

  private static final Pattern LENIENT =
      Pattern.compile("([0-9,_]{1,40}(?:\\.[0-9]{1,12})?) ?([a-zA-Z]*)");
  private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,18}");
  private static final int MAX_DIGITS = 30;

  /** Maximum length of the text, with its underscores and unit. */
  private static final int MAX_LENGTH = 64;

  private static final Map<String, Long> FACTORS = new LinkedHashMap<>();

  static {
    long decimal = 1;
    long binary = 1;
    FACTORS.put("", 1L);
    for (var letter : new String[] {"k", "M", "G", "T"}) {
      decimal *= 1000;
      binary *= 1024;
      FACTORS.put(letter, decimal);
      FACTORS.put((letter + "i").replace("ki", "Ki"), binary);
    }
  }

  /**
   * Parses a count.
   *
   * @throws IllegalArgumentException with a suggestion, if the text is not a count or exceeds a
   *     {@code long}
   */
  static long parse(String text) {
    if (text.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "%s has %d characters, a count at most %d"
              .formatted(Excerpt.of(text), text.length(), MAX_LENGTH));
    }
    var written = WRITTEN.matcher(text);
    if (!written.matches()) throw notACount(text);
    var factor = factor(written.group(2));
    if (factor.isEmpty()) throw unknownUnit(text, written.group(1), written.group(2));
    String digits = written.group(1).replace("_", "").replace(",", "");
    if (digits.length() <= MAX_DIGITS) {
      var value = new BigInteger(digits).multiply(BigInteger.valueOf(factor.get()));
      if (value.bitLength() < Long.SIZE) return value.longValue();
    }
    throw new IllegalArgumentException("%s is too large".formatted(Excerpt.of(text)));
  }

  /** Returns the shortest text that parses to this count; of equally short ones, the plainest. */
  static String text(long count) {
    String shortest = Long.toString(count);
    for (var unit : FACTORS.entrySet()) {
      if (count == 0 || count % unit.getValue() != 0) continue;
      String text = count / unit.getValue() + unit.getKey();
      if (text.length() < shortest.length()) shortest = text;
    }
    return shortest;
  }

  /**
   * Parses a number that is not a count, such as a priority. It may be negative and has no unit.
   *
   * @throws IllegalArgumentException if the text is not an integer or exceeds an {@code int}
   */
  static int parseInteger(String text) {
    if (!INTEGER.matcher(text).matches()) {
      throw new IllegalArgumentException("%s is no whole number".formatted(Excerpt.of(text)));
    }
    long value = Long.parseLong(text);
    if (value != (int) value) {
      throw new IllegalArgumentException("%s is too large".formatted(Excerpt.of(text)));
    }
    return (int) value;
  }

  private static Optional<Long> factor(String unit) {
    String withoutBytes = unit.endsWith("B") ? unit.substring(0, unit.length() - 1) : unit;
    return Optional.ofNullable(FACTORS.get(withoutBytes));
  }

  private static IllegalArgumentException unknownUnit(String text, String digits, String unit) {
    return new IllegalArgumentException(
        "%s has the unknown unit %s%s Allowed: k, M, G, T (of 1000) and Ki, Mi, Gi, Ti (of 1024), with or without B"
            .formatted(
                Excerpt.of(text),
                Excerpt.of(unit),
                NameSuggester.didYouMean(suggestion(digits, unit))));
  }

  private static Optional<String> suggestion(String digits, String unit) {
    var suggestion = new StringBuilder();
    for (var known : FACTORS.keySet()) {
      for (var name : new String[] {known, known + "B"}) {
        if (!name.equalsIgnoreCase(unit)) continue;
        suggestion.append(suggestion.isEmpty() ? "" : " or ").append(digits).append(name);
      }
    }
    return suggestion.isEmpty() ? Optional.empty() : Optional.of(suggestion.toString());
  }

  private static IllegalArgumentException notACount(String text) {
    return new IllegalArgumentException(
        "%s is no count%s Write a whole number, such as 100, 1_000, 10k, 1M or 10MB"
            .formatted(Excerpt.of(text), NameSuggester.didYouMean(validSpelling(text))));
  }

  /** Returns the valid spelling of texts such as {@code 1.5k} or {@code 10_00}. */
  private static Optional<String> validSpelling(String text) {
    var lenient = LENIENT.matcher(text);
    if (!lenient.matches()) return Optional.empty();
    var factor = factor(lenient.group(2));
    String number = lenient.group(1).replace(",", "").replace("_", "");
    if (factor.isEmpty() || number.isEmpty() || number.startsWith(".")) return Optional.empty();
    try {
      return Optional.of(
          Long.toString(
              new BigDecimal(number).multiply(BigDecimal.valueOf(factor.get())).longValueExact()));
    } catch (ArithmeticException e) {
      return Optional.empty();
    }
  }

  private CountSyntax() {}
}
