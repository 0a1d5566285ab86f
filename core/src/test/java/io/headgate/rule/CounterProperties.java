package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import java.util.LinkedHashMap;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class CounterProperties {
  private static final List<String> ATTRIBUTES = List.of("one", "two", "three");

  /** An empty text represents a missing attribute. */
  @Property(tries = 2_000)
  void subjectsShareAKeyOnlyIfTheirValuesAreEqual(
      @ForAll("values") List<String> values,
      @ForAll("values") List<String> others,
      @ForAll @IntRange(max = 3) int attributes) {
    var per = ATTRIBUTES.subList(0, attributes);
    var rule =
        Rule.named("r")
            .per(per.toArray(String[]::new))
            .limit(TokenBucket.of(Rate.perSecond(1)))
            .build();
    var counter = new Counter(rule, rule.limits().getFirst());
    assertThat(counter.keyOf(subject(values)).equals(counter.keyOf(subject(others))))
        .isEqualTo(values.subList(0, attributes).equals(others.subList(0, attributes)));
  }

  private static Subject subject(List<String> values) {
    var attributes = new LinkedHashMap<String, String>();
    for (int i = 0; i < values.size(); i++) {
      if (!values.get(i).isEmpty()) attributes.put(ATTRIBUTES.get(i), values.get(i));
    }
    return Subject.of(attributes);
  }

  @Provide
  Arbitrary<List<String>> values() {
    return Arbitraries.strings().withChars("01:").ofMaxLength(4).list().ofSize(3);
  }
}
