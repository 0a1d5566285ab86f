package io.headgate.rulefile;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Whole numbers as rules write them: {@code 100}, {@code 1_000}, {@code 10k}, {@code 1GiB}. */
final class CountSyntax {
  private static final Pattern WRITTEN = Pattern.compile("([0-9]+(?:_[0-9]+)*+)([a-zA-Z]*)");
  private static final Pattern LOOSE =
      Pattern.compile("([0-9,]{1,20}(?:\\.[0-9]{1,12})?) ?([a-zA-Z]*)");
  private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,18}");
  private static final int MOST_DIGITS = 30;

  /** Of the text, with its underscores and unit. */
  private static final int LONGEST = 64;

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

  static long parse(String text) {
    if (text.length() > LONGEST) {
      throw new IllegalArgumentException(
          "%s has %d characters, a count at most %d"
              .formatted(Excerpt.of(text), text.length(), LONGEST));
    }
    var written = WRITTEN.matcher(text);
    if (!written.matches()) throw notOne(text);
    var factor = factor(written.group(2));
    if (factor.isEmpty()) throw unknownUnit(text, written.group(1), written.group(2));
    String digits = written.group(1).replace("_", "");
    if (digits.length() <= MOST_DIGITS) {
      var value = new BigInteger(digits).multiply(BigInteger.valueOf(factor.get()));
      if (value.bitLength() < Long.SIZE) return value.longValue();
    }
    throw new IllegalArgumentException("%s is too large".formatted(Excerpt.of(text)));
  }

  /** The shortest form that reads back equal; the plainest of several. */
  static String text(long count) {
    String shortest = Long.toString(count);
    for (var unit : FACTORS.entrySet()) {
      if (count == 0 || count % unit.getValue() != 0) continue;
      String text = count / unit.getValue() + unit.getKey();
      if (text.length() < shortest.length()) shortest = text;
    }
    return shortest;
  }

  /** A number that counts nothing, such as a priority: it may be negative and has no unit. */
  static int whole(String text) {
    if (!WHOLE.matcher(text).matches()) {
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
                Excerpt.of(text), Excerpt.of(unit), NameSuggester.didYouMean(meant(digits, unit))));
  }

  private static Optional<String> meant(String digits, String unit) {
    var meant = new StringBuilder();
    for (var known : FACTORS.keySet()) {
      for (var name : new String[] {known, known + "B"}) {
        if (!name.equalsIgnoreCase(unit)) continue;
        meant.append(meant.isEmpty() ? "" : " or ").append(digits).append(name);
      }
    }
    return meant.isEmpty() ? Optional.empty() : Optional.of(meant.toString());
  }

  private static IllegalArgumentException notOne(String text) {
    return new IllegalArgumentException(
        "%s is no count%s Write a whole number, such as 100, 1_000, 10k, 1M or 10MB"
            .formatted(Excerpt.of(text), NameSuggester.didYouMean(exactly(text))));
  }

  /** What {@code 1.5k} or {@code 1,000} would be. */
  private static Optional<String> exactly(String text) {
    var loose = LOOSE.matcher(text);
    if (!loose.matches()) return Optional.empty();
    var factor = factor(loose.group(2));
    String number = loose.group(1).replace(",", "");
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
