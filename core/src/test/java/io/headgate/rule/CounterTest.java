package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CounterTest {
  private static final TokenBucket LIMIT = TokenBucket.of(Rate.perSecond(1));

  @Test
  void eachValueOfAWildcardAttributeHasACounterByDefault() {
    var rule = Rule.named("r").match("tenant", "*").match("path", "/login").limit(LIMIT).build();
    var counter = new Counter(rule, rule.limits().getFirst());
    assertThat(counter.per()).containsExactly("tenant");
    assertThat(counter.keyOf(subject("tenant", "t1", "path", "/login"))).isEqualTo("t1");
    assertThat(counter.keyOf(subject("tenant", "t2", "path", "/login"))).isEqualTo("t2");
  }

  @Test
  void ruleWithoutWildcardsHasOneCounter() {
    var rule = Rule.named("r").match("path", "/login").limit(LIMIT).build();
    var counter = new Counter(rule, rule.limits().getFirst());
    assertThat(counter.keyOf(subject("path", "/login", "user", "1")))
        .isEqualTo(counter.keyOf(subject("path", "/login", "user", "2")));
  }

  @Test
  void perOfTheLimitOverridesPerOfTheRuleAndTheDefault() {
    var rule =
        Rule.named("r")
            .match("user", "*")
            .per("tenant")
            .limit(RuleLimit.of("own", LIMIT).withPer("ip"))
            .limit(RuleLimit.of("none", LIMIT).withPer())
            .limit(RuleLimit.of("rule", LIMIT))
            .build();
    assertThat(rule.limits().stream().map(limit -> new Counter(rule, limit).per().toString()))
        .containsExactly("[ip]", "[]", "[tenant]");
  }

  @Test
  void valuesOfDifferentAttributesAreNotConfused() {
    var counter = per("one", "two");
    assertThat(counter.keyOf(subject("one", "a:b", "two", "c")))
        .isNotEqualTo(counter.keyOf(subject("one", "a", "two", "b:c")));
    assertThat(counter.keyOf(subject("one", "1:a", "two", "a")))
        .isNotEqualTo(counter.keyOf(subject("one", "1", "two", "a1:a")));
  }

  @Test
  void absentAttributeOfAWildcardConditionHasItsOwnCounter() {
    var any = new Pattern.OrAbsent(Pattern.parse("tenant", "*"));
    var rule = Rule.named("r").match(new Match(Map.of("tenant", any))).limit(LIMIT).build();
    var counter = new Counter(rule, rule.limits().getFirst());
    assertThat(counter.per()).containsExactly("tenant");
    assertThat(counter.keyOf(subject("user", "ada"))).isEqualTo("");
    assertThat(counter.keyOf(subject("tenant", "t1"))).isEqualTo("t1");
  }

  @Test
  void subjectsWithoutTheAttributeShareASeparateCounter() {
    var single = per("user");
    assertThat(single.keyOf(subject("ip", "10.0.0.1")))
        .isEqualTo(single.keyOf(subject("ip", "10.0.0.2")))
        .isNotEqualTo(single.keyOf(subject("user", "null")))
        .isNotEqualTo(single.keyOf(subject("user", "(absent)")));
    var pair = per("user", "tenant");
    assertThat(pair.keyOf(subject("user", "a")))
        .isNotEqualTo(pair.keyOf(subject("tenant", "a")))
        .isNotEqualTo(pair.keyOf(subject("user", "a", "tenant", "0:")))
        .isNotEqualTo(pair.keyOf(subject("user", "a0:")));
  }

  @Test
  void equalAddressesShareACounterInAnyNotation() {
    var counter = per("ip");
    assertThat(counter.keyOf(subject("ip", "::ffff:10.0.0.1")))
        .isEqualTo(counter.keyOf(subject("ip", "10.0.0.1")))
        .isEqualTo(counter.keyOf(subject("ip", "::FFFF:A00:1")))
        .isNotEqualTo(counter.keyOf(subject("ip", "10.0.0.2")));
  }

  @Test
  void ipv6AddressesOfOneNetworkShareACounter() {
    var counter = per("ip");
    assertThat(counter.keyOf(subject("ip", "2001:db8::1")))
        .isEqualTo(counter.keyOf(subject("ip", "2001:db8::ffff:ffff:ffff:ffff")))
        .isNotEqualTo(counter.keyOf(subject("ip", "2001:db8:0:1::1")));
  }

  @Test
  void invalidAddressIsCountedVerbatim() {
    var counter = per("ip");
    assertThat(counter.keyOf(subject("ip", "unknown"))).isEqualTo("unknown");
  }

  @Test
  void onlyTheAttributeIpIsParsedAsAnAddress() {
    var counter = per("host");
    assertThat(counter.keyOf(subject("host", "2001:db8::1"))).isEqualTo("2001:db8::1");
  }

  @Test
  void namedCostReplacesThePlainCostAndDefaultsToZero() {
    var rule =
        Rule.named("r")
            .limit(RuleLimit.of("calls", LIMIT))
            .limit(RuleLimit.of("bytes", LIMIT).withCost("bytes"))
            .build();
    var calls = new Counter(rule, rule.limits().get(0));
    var bytes = new Counter(rule, rule.limits().get(1));
    var request = new Request(Subject.of("x"), 2, Map.of("bytes", 512L, "other", 7L));
    assertThat(calls.costOf(request)).isEqualTo(2);
    assertThat(bytes.costOf(request)).isEqualTo(512);
    assertThat(bytes.costOf(Request.of(Subject.of("x"), 2))).isZero();
  }

  @Test
  void counterEqualityIgnoresTheLimit() {
    var before = Rule.named("r").limit(LIMIT).build();
    var after = Rule.named("r").limit(TokenBucket.of(Rate.perSecond(5))).build();
    var other = Rule.named("r").limit(RuleLimit.of("other", LIMIT)).build();
    var counter = new Counter(before, before.limits().getFirst());
    assertThat(counter)
        .isEqualTo(new Counter(after, after.limits().getFirst()))
        .hasSameHashCodeAs(new Counter(after, after.limits().getFirst()))
        .isNotEqualTo(new Counter(other, other.limits().getFirst()));
  }

  @Test
  void policyNameOmitsALimitNamedLikeTheRule() {
    var rule = Rule.named("r").limit(LIMIT).limit(RuleLimit.of("bytes", LIMIT)).build();
    assertThat(rule.limits().stream().map(limit -> new Counter(rule, limit).policy()))
        .containsExactly("r", "r/bytes");
  }

  private static Counter per(String... attributes) {
    var rule = Rule.named("r").per(attributes).limit(LIMIT).build();
    return new Counter(rule, rule.limits().getFirst());
  }

  private static Subject subject(String name, String value) {
    return Subject.of(name, value);
  }

  private static Subject subject(String name, String value, String other, String otherValue) {
    return Subject.of(name, value).with(other, otherValue);
  }
}
