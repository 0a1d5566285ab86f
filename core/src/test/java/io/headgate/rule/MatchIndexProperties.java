package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class MatchIndexProperties {
  @Property(tries = 1_000)
  void findsTheSameMatchesAsALinearScan(
      @ForAll("matches") List<Match> matches, @ForAll("subjects") List<Subject> subjects) {
    var index = new MatchIndex(matches);
    for (var subject : subjects) {
      var expected = new ArrayList<Integer>();
      for (int i = 0; i < matches.size(); i++) {
        if (holds(matches.get(i), subject)) expected.add(i);
      }
      assertThat(found(index, subject)).as(subject.toString()).isEqualTo(expected);
    }
  }

  private static boolean holds(Match match, Subject subject) {
    return match.conditions().entrySet().stream()
        .allMatch(condition -> {
          var value = subject.attribute(condition.getKey());
          return switch (condition.getValue()) {
            case Pattern.Absent absent -> value.isEmpty();
            case Pattern.OrAbsent(var pattern) -> value.isEmpty() || pattern.matches(value.get());
            case Pattern pattern -> value.isPresent() && pattern.matches(value.get());
          };
        });
  }

  private static List<Integer> found(MatchIndex index, Subject subject) {
    var ordinals = index.find(subject);
    var list = new ArrayList<Integer>();
    for (int i = 0; i < ordinals.size(); i++) list.add(ordinals.get(i));
    return list;
  }

  @Provide
  Arbitrary<List<Match>> matches() {
    var condition =
        Arbitraries.frequencyOf(
            Tuple.of(2, texts("key").map(pattern -> Map.entry("key", pattern))),
            Tuple.of(2, texts("path").map(pattern -> Map.entry("path", pattern))),
            Tuple.of(2, addresses().map(pattern -> Map.entry("ip", pattern))));
    return condition
        .list()
        .ofMaxSize(3)
        .uniqueElements(Map.Entry::getKey)
        .map(MatchIndexProperties::match)
        .list()
        .ofMaxSize(25);
  }

  /** "Aa" and "BB" have the same hash code, as have all texts made of them. */
  private static Arbitrary<Pattern> texts(String attribute) {
    var one =
        Arbitraries.of("Aa", "BB", "a", "*", "*")
            .list()
            .ofMinSize(1)
            .ofMaxSize(3)
            .map(pieces -> Pattern.parse(attribute, String.join("", pieces)));
    return orLists(one);
  }

  private static Arbitrary<Pattern> addresses() {
    return orLists(
        Arbitraries.of(
                "*",
                "10.*",
                "10.0.0.0/8",
                "10.1.0.0/16",
                "10.1.2.3",
                "10.1.2.3/32",
                "10.9.9.9/8",
                "0.0.0.0/0",
                "::/0",
                "::ffff:10.1.2.3",
                "2001:db8::/32",
                "2001:db8::/64",
                "2001:db8::1",
                "2001:db8::1/128")
            .map(text -> Pattern.parse("ip", text)));
  }

  private static Arbitrary<Pattern> orLists(Arbitrary<Pattern> one) {
    var list = one.list().ofMinSize(1).ofMaxSize(4).map(Pattern::anyOf);
    Arbitrary<Pattern> except = Combinators.combine(list, list).as(Pattern.Except::new);
    var present = Arbitraries.frequencyOf(Tuple.of(3, one), Tuple.of(1, list), Tuple.of(1, except));
    return Arbitraries.frequencyOf(
        Tuple.of(6, present),
        Tuple.of(2, present.map(Pattern.OrAbsent::new)),
        Tuple.of(1, Arbitraries.just(new Pattern.Absent())));
  }

  @Provide
  Arbitrary<List<Subject>> subjects() {
    var text =
        Arbitraries.of("Aa", "BB", "a", "b")
            .list()
            .ofMinSize(1)
            .ofMaxSize(3)
            .map(pieces -> String.join("", pieces));
    var address =
        Arbitraries.of(
            "10.1.2.3",
            "10.1.2.4",
            "11.0.0.1",
            "::ffff:10.1.2.3",
            "2001:db8::1",
            "2001:db8:0:1::",
            "::1",
            "nonsense");
    var attribute =
        Arbitraries.oneOf(
            text.map(value -> Map.entry("key", value)),
            text.map(value -> Map.entry("path", value)),
            address.map(value -> Map.entry("ip", value)),
            text.map(value -> Map.entry("unheard-of", value)));
    return attribute
        .list()
        .ofMaxSize(4)
        .uniqueElements(Map.Entry::getKey)
        .map(MatchIndexProperties::subject)
        .list()
        .ofSize(10);
  }

  private static Match match(List<Map.Entry<String, Pattern>> conditions) {
    var map = new LinkedHashMap<String, Pattern>();
    for (var condition : conditions) map.put(condition.getKey(), condition.getValue());
    return new Match(map);
  }

  private static Subject subject(List<Map.Entry<String, String>> attributes) {
    var map = new LinkedHashMap<String, String>();
    for (var attribute : attributes) map.put(attribute.getKey(), attribute.getValue());
    return Subject.of(map);
  }
}
