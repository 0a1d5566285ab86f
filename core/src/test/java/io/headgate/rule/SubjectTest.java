package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SubjectTest {
  @Test
  void bareKeyIsOneAttribute() {
    assertThat(Subject.of("user:42")).isEqualTo(Subject.of(Map.of("key", "user:42")));
    assertThat(Subject.of("user:42")).hasToString("user:42");
    assertThat(Subject.of("user", "42")).hasToString("{user=42}");
  }

  @Test
  void attributesAreFoundByName() {
    var subject = Subject.of("user", "42").with("path", "/login");
    assertThat(subject.attribute("path")).contains("/login");
    assertThat(subject.attribute("Path")).isEmpty();
    assertThat(subject.attributes()).isEqualTo(Map.of("user", "42", "path", "/login"));
  }

  @Test
  void namesAreEqualByTheirCharacters() {
    var copy = String.valueOf(new char[] {'k', 'e', 'y'}); // not the interned name of the rules
    var rules =
        RuleSet.of(
            Rule.named("r")
                .match("key", "user:*")
                .limit(TokenBucket.of(Rate.perSecond(1)))
                .build());
    for (var name : List.of("key", copy)) {
      var charge = rules.plan(Request.of(Subject.of(name, "user:42")), 0, 0).single();
      assertThat(charge).isNotNull();
      assertThat(charge.key()).isEqualTo("user:42");
    }
  }

  @Test
  void withReplacesAnAttribute() {
    assertThat(Subject.of("user", "42").with("user", "43")).isEqualTo(Subject.of("user", "43"));
  }

  @Test
  void equalityIgnoresTheOrderOfAttributes() {
    assertThat(Subject.of("a", "1").with("b", "2"))
        .isEqualTo(Subject.of("b", "2").with("a", "1"))
        .hasSameHashCodeAs(Subject.of("b", "2").with("a", "1"))
        .isNotEqualTo(Subject.of("a", "2").with("b", "1"));
  }

  @Test
  void subjectMayHaveNoAttributes() {
    assertThat(Subject.of(Map.of()).attributes()).isEmpty();
  }

  @Test
  void pairsMakeTheSameSubjectAsAMap() {
    var pairs = new String[] {"user", "42", "path", "/login"};
    var subject = Subject.ofPairs(pairs);
    pairs[1] = "43";
    assertThat(subject).isEqualTo(Subject.of(Map.of("path", "/login", "user", "42")));
  }

  @Test
  void invalidPairsAreRefused() {
    assertThatThrownBy(() -> Subject.ofPairs("user"))
        .hasMessage("the last of 1 names and values is a name without a value");
    assertThatThrownBy(() -> Subject.ofPairs("user", "1", "user", "2"))
        .hasMessage("attribute 'user' is given twice");
    assertThatThrownBy(() -> Subject.ofPairs("user", "")).hasMessageContaining("is empty");
    assertThatThrownBy(() -> Subject.ofPairs(new String[66])).hasMessageContaining("at most 32");
  }
}
