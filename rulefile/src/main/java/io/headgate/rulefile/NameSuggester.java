package io.headgate.rulefile;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Finds the allowed name nearest to a misspelled one, by Damerau–Levenshtein distance. */
public final class NameSuggester {
  private static final Pattern DIGITS = Pattern.compile("[0-9]");

  /** Returns the end of a message about an unknown name: the nearest name and all allowed ones. */
  static String hint(String word, Collection<String> allowed) {
    return didYouMean(nearest(word, allowed)) + " Allowed: " + String.join(", ", allowed);
  }

  /** Returns "; did you mean …?", or a full stop if there is no suggestion. */
  static String didYouMean(Optional<String> name) {
    return name.map("; did you mean %s?"::formatted).orElse(".");
  }

  /**
   * Returns the name at the smallest distance, at most 2 (1 for words of up to three characters),
   * else the first name that begins with the word.
   */
  public static Optional<String> nearest(String word, Collection<String> names) {
    String typed = plain(word);
    Optional<String> nearest = Optional.empty();
    int least = (typed.length() <= 3 ? 1 : 2) + 1;
    for (var name : names) {
      int distance = distance(typed, plain(name), least);
      if (distance < least) {
        least = distance;
        nearest = Optional.of(name);
      }
    }
    return nearest.or(() -> completion(typed, names));
  }

  /**
   * Returns whether two different names of at least three characters are one typo apart: one
   * character that is inserted, deleted, replaced or swapped with its neighbour, or other case or
   * separators. Names that differ in digits only, such as level1 and level2, are both meant.
   */
  static boolean isTypo(String a, String b) {
    if (a.equals(b) || Math.min(a.length(), b.length()) < 3) return false;
    if (DIGITS.matcher(a).replaceAll("").equals(DIGITS.matcher(b).replaceAll(""))) return false;
    return distance(plain(a), plain(b), 2) <= 1;
  }

  private static Optional<String> completion(String typed, Collection<String> names) {
    if (typed.length() < 3) return Optional.empty();
    return names.stream().filter(name -> plain(name).startsWith(typed)).findFirst();
  }

  /** Converts to lower case with hyphens, so that other conventions add no distance. */
  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the optimal string alignment distance: the number of insertions, deletions,
   * substitutions and swaps of adjacent characters between the two. A result of at least {@code
   * bound} means "that or more".
   */
  private static int distance(String a, String b, int bound) {
    if (Math.abs(a.length() - b.length()) >= bound) return bound;
    var beforeLast = new int[b.length() + 1];
    var last = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) last[j] = j;
    for (int i = 1; i <= a.length(); i++) {
      var row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        boolean same = a.charAt(i - 1) == b.charAt(j - 1);
        row[j] = Math.min(Math.min(last[j], row[j - 1]) + 1, last[j - 1] + (same ? 0 : 1));
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        if (swapped) row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
      }
      beforeLast = last;
      last = row;
    }
    return last[b.length()];
  }

  private NameSuggester() {}
}
