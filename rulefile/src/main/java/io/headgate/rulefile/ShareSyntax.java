package io.headgate.rulefile;

import java.math.BigDecimal;
import java.util.regex.Pattern;

/** Converts between shares in thousandths and their text, such as {@code 0.6} or {@code 60%}. */
final class ShareSyntax {
  private static final Pattern SHARE = Pattern.compile("([0-9]{0,6}(?:\\.[0-9]{1,9})?)(%?)");

  /**
   * Parses a share.
   *
   * @param plural the name of such shares, for the message
   * @throws IllegalArgumentException if the text is not a share, or finer than 0.001
   */
  static int permille(String plural, String text) {
    var share = SHARE.matcher(text);
    if (!share.matches() || share.group(1).isEmpty()) {
      throw new IllegalArgumentException(
          "%s is no share; write one such as 0.6 or 60%%".formatted(Excerpt.of(text)));
    }
    boolean percent = !share.group(2).isEmpty();
    var permille = new BigDecimal(share.group(1)).movePointRight(percent ? 1 : 3);
    if (permille.stripTrailingZeros().scale() > 0) {
      throw new IllegalArgumentException(
          "%s is too fine; %s go by steps of 0.001 or 0.1%%".formatted(Excerpt.of(text), plural));
    }
    return permille.intValueExact();
  }

  /** Returns a share as a fraction, such as {@code 0.6}. */
  static String fraction(int permille) {
    return BigDecimal.valueOf(permille, 3).stripTrailingZeros().toPlainString();
  }

  /** Returns a share as a percentage, such as {@code 60%}. */
  static String percent(int permille) {
    return BigDecimal.valueOf(permille, 1).stripTrailingZeros().toPlainString() + "%";
  }

  private ShareSyntax() {}
}
