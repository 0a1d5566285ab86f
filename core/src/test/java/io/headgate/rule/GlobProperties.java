package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class GlobProperties {
  private static final String ALPHABET = "ab*\\";

  @Property(tries = 4_000)
  void matchesAsBacktrackingDoes(
      @ForAll("patterns") String pattern, @ForAll("values") String value) {
    assertThat(Pattern.parse("path", pattern).matches(value))
        .as("'%s' against '%s'", pattern, value)
        .isEqualTo(matches(pattern, 0, value, 0));
  }

  /** Random values rarely match long patterns; values derived from the pattern always do. */
  @Property(tries = 2_000)
  void matchesItselfWithAnyTextForEachStar(
      @ForAll("patterns") String pattern, @ForAll("fillings") List<String> fillings) {
    var value = new StringBuilder();
    int star = 0;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == '*') value.append(fillings.get(star++));
      else if (isEscape(pattern, i)) value.append(pattern.charAt(++i));
      else value.append(c);
    }
    assertThat(Pattern.parse("path", pattern).matches(value.toString()))
        .as("'%s' against '%s'", pattern, value)
        .isTrue();
  }

  @Property(tries = 1_000)
  void escapedTextMatchesItself(@ForAll("patterns") String text) {
    var exactly = new Pattern.Exactly(text);
    assertThat(Pattern.parse("path", exactly.text())).isEqualTo(exactly);
  }

  @Property(tries = 1_000)
  void matchesBeginWithThePrefix(
      @ForAll("patterns") String pattern, @ForAll("values") String value) {
    if (Pattern.parse("path", pattern) instanceof Pattern.Glob glob && glob.matches(value)) {
      assertThat(value).startsWith(glob.prefix());
    }
  }

  @Provide
  Arbitrary<String> patterns() {
    return Arbitraries.strings().withChars(ALPHABET).ofMinLength(1).ofMaxLength(8);
  }

  @Provide
  Arbitrary<String> values() {
    return Arbitraries.strings().withChars(ALPHABET).ofMaxLength(6);
  }

  @Provide
  Arbitrary<List<String>> fillings() {
    return Arbitraries.strings().withChars(ALPHABET).ofMaxLength(3).list().ofSize(8);
  }

  /** Matches by backtracking: a star matches nothing, or one character and then the star again. */
  private static boolean matches(String pattern, int p, String value, int v) {
    if (p == pattern.length()) return v == value.length();
    if (pattern.charAt(p) == '*') {
      return matches(pattern, p + 1, value, v)
          || (v < value.length() && matches(pattern, p, value, v + 1));
    }
    int literal = isEscape(pattern, p) ? p + 1 : p;
    return v < value.length()
        && value.charAt(v) == pattern.charAt(literal)
        && matches(pattern, literal + 1, value, v + 1);
  }

  private static boolean isEscape(String pattern, int at) {
    return pattern.charAt(at) == '\\'
        && at + 1 < pattern.length()
        && "*\\".indexOf(pattern.charAt(at + 1)) >= 0;
  }
}
