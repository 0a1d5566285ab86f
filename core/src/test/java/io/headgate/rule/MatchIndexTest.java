package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MatchIndexTest {
  @Test
  void matchWithoutConditionsMatchesEverySubject() {
    assertThat(find("nobody", Match.EVERYTHING)).containsExactly(0);
  }

  @Test
  void emptyIndexFindsNothing() {
    assertThat(find("nobody")).isEmpty();
  }

  @Test
  void listWithSeveralMatchingEntriesIsFoundOnce() {
    var list =
        Pattern.anyOf(
            List.of(
                Pattern.parse("key", "a"), Pattern.parse("key", "a*"), Pattern.parse("key", "*")));
    assertThat(find("a", new Match(Map.of("key", list)))).containsExactly(0);
  }

  @Test
  void everyConditionMustHoldRegardlessOfTheIndexKey() {
    var match = Match.of("key", "a*").and("path", "/login");
    var index = new MatchIndex(List.of(match));
    assertThat(found(index, Subject.of("abc"))).isEmpty();
    assertThat(found(index, Subject.of("path", "/login"))).isEmpty();
    assertThat(found(index, Subject.of("abc").with("path", "/login"))).containsExactly(0);
    assertThat(found(index, Subject.of("path", "/login").with("key", "b"))).isEmpty();
  }

  @Test
  void matchesAreFoundInOrder() {
    assertThat(
            find(
                "abc",
                Match.of("key", "abc"),
                Match.of("key", "ab*"),
                Match.EVERYTHING,
                Match.of("key", "*"),
                Match.of("key", "x"),
                Match.of("key", "a*c")))
        .containsExactly(0, 1, 2, 3, 5);
  }

  private static List<Integer> find(String key, Match... matches) {
    return found(new MatchIndex(List.of(matches)), Subject.of(key));
  }

  private static List<Integer> found(MatchIndex index, Subject subject) {
    var ordinals = index.find(subject);
    var list = new ArrayList<Integer>();
    for (int i = 0; i < ordinals.size(); i++) list.add(ordinals.get(i));
    return list;
  }
}
