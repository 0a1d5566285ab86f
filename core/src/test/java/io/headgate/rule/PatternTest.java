package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PatternTest {
  @ParameterizedTest
  @CsvSource({
    "user:*,        user:42,      true",
    "user:*,        user:,        true",
    "user:*,        xuser:42,     false",
    "*,             anything,     true",
    "/api/*/edit,   /api/7/edit,  true",
    "/api/*/edit,   /api/edit,    false",
    "a*a,           a,            false",
    "a*a,           aa,           true",
    "*ab*ab*,       ab,           false",
    "*ab*ab*,       xabab,        true",
    "a*b*c,         abbc,         true",
    "a*b*c,         acb,          false",
    "2 \\* 3,       2 * 3,        true",
    "2 \\* 3,       2 x 3,        false",
    "c:\\\\*,       c:\\temp,     true",
    "User:*,        user:42,      false",
    "a?c,           abc,          false",
  })
  void starMatchesAnyCharactersAndNothingElseIsSpecial(
      String pattern, String value, boolean matches) {
    assertThat(Pattern.parse("key", pattern).matches(value)).isEqualTo(matches);
  }

  @Test
  void absentAttributeMatchesOnlyIfTheConditionSaysSo() {
    var except = new Pattern.Except(Pattern.parse("path", "*"), Pattern.parse("path", "/health"));
    var orAbsent = new Match(Map.of("path", new Pattern.OrAbsent(except)));
    var absent = new Match(Map.of("path", new Pattern.Absent()));
    var without = Subject.of("user", "ada");
    assertThat(new Match(Map.of("path", except)).matches(without)).isFalse();
    assertThat(orAbsent.matches(without)).isTrue();
    assertThat(orAbsent.matches(without.with("path", "/login"))).isTrue();
    assertThat(orAbsent.matches(without.with("path", "/health"))).isFalse();
    assertThat(absent.matches(without)).isTrue();
    assertThat(absent.matches(without.with("path", "/login"))).isFalse();
    assertThat(new Pattern.OrAbsent(except).text()).isEqualTo("* except /health or absent");
  }

  @Test
  void absenceIsNoPartOfAnotherPattern() {
    var any = Pattern.parse("path", "*");
    var absent = new Pattern.Absent();
    assertThatThrownBy(() -> new Pattern.AnyOf(List.of(any, absent)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Pattern.Except(any, absent))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Pattern.OrAbsent(new Pattern.OrAbsent(any)))
        .hasMessage(
            "'* or absent' can't be part of another pattern; let the whole condition match absent attributes");
  }

  /** Fingerprints are part of counter keys. */
  @Test
  void fingerprintsOfAbsenceDifferFromAllOthers() {
    var any = Pattern.parse("path", "*");
    assertThat(
            List.of(
                    any,
                    new Pattern.OrAbsent(any),
                    new Pattern.Absent(),
                    Pattern.parse("p", "absent"))
                .stream()
                .map(pattern -> new Match(Map.of("path", pattern)).fingerprint()))
        .doesNotHaveDuplicates();
  }

  @Test
  void textWithoutAStarIsComparedExactly() {
    assertThat(Pattern.parse("key", "user:42")).isEqualTo(new Pattern.Exactly("user:42"));
    assertThat(Pattern.parse("key", "10.0.0.0/8").matches("10.1.2.3")).isFalse();
  }

  @Test
  void patternsForIpAreComparedByBits() {
    assertThat(Pattern.parse("ip", "10.0.0.0/8").matches("10.1.2.3")).isTrue();
    assertThat(Pattern.parse("ip", "10.*").matches("10.1.2.3")).isTrue();
  }

  @Test
  void listMatchesIfAnyPatternMatches() {
    var list =
        Pattern.anyOf(List.of(Pattern.parse("method", "GET"), Pattern.parse("method", "P*")));
    assertThat(List.of("GET", "PUT", "POST", "DELETE").stream().filter(list::matches))
        .containsExactly("GET", "PUT", "POST");
    assertThat(list.text()).isEqualTo("[GET, P*]");
  }

  @Test
  void listOfOnePatternIsThatPattern() {
    var one = new Pattern.Exactly("GET");
    assertThat(Pattern.anyOf(List.of(one))).isSameAs(one);
  }

  @Test
  void onlyPatternsThatManyValuesMatchAreWildcards() {
    assertThat(Pattern.parse("key", "a").isWildcard()).isFalse();
    assertThat(Pattern.parse("key", "a*").isWildcard()).isTrue();
    assertThat(Pattern.parse("ip", "10.0.0.1").isWildcard()).isFalse();
    assertThat(Pattern.parse("ip", "10.0.0.0/8").isWildcard()).isTrue();
    assertThat(Pattern.parse("ip", "2001:db8::1").isWildcard()).isFalse();
    assertThat(list("a", "b").isWildcard()).isFalse();
    assertThat(list("a", "b*").isWildcard()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.0.0",
        "10.0.0.0/33",
        "10.0.0.0/",
        "10.0.0.0/-1",
        "10.0.0.0/8/8",
        "10.0.0.0/0008",
        "10.0.0.0/a",
        "2001:db8::/129",
        "localhost",
        "::1%lo/64",
      })
  void invalidBlockIsRejectedWithItsText(String text) {
    assertThatThrownBy(() -> Pattern.parse("ip", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'%s' is neither an IP address nor a block such as 10.0.0.0/8 or 2001:db8::/32", text);
  }

  private static Pattern list(String first, String second) {
    return Pattern.anyOf(List.of(Pattern.parse("key", first), Pattern.parse("key", second)));
  }

  @Test
  void exceptionMatchesThePatternWithoutTheExcluded() {
    var users = Pattern.parse("key", "user:*");
    var except = new Pattern.Except(users, Pattern.parse("key", "user:4*"));
    assertThat(except.matches("user:5")).isTrue();
    assertThat(except.matches("user:42")).isFalse();
    assertThat(except.matches("bot:5")).isFalse();
    assertThat(except.isWildcard()).isTrue();
    assertThat(except.text()).isEqualTo("user:* except user:4*");
  }

  @Test
  void ruleWithAnExceptionIsFound() {
    var except = new Pattern.Except(new Pattern.Exactly("x"), new Pattern.Exactly("y"));
    var open = new Pattern.Except(Pattern.parse("key", "*"), new Pattern.Exactly("y"));
    var index =
        new MatchIndex(List.of(new Match(Map.of("key", except)), new Match(Map.of("key", open))));
    assertThat(index.find(Subject.of("x")).size()).isEqualTo(2);
    assertThat(index.find(Subject.of("z")).size()).isEqualTo(1);
    assertThat(index.find(Subject.of("y")).size()).isZero();
  }
}
