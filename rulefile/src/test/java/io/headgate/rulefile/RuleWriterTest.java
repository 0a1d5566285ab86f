package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Concurrency;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Match;
import io.headgate.rule.Pattern;
import io.headgate.rule.Pattern.AnyOf;
import io.headgate.rule.Pattern.Exactly;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RuleWriterTest {
  @Test
  void noRulesAreWrittenAsAnEmptyList() {
    assertThat(RuleFile.yaml(List.of())).isEqualTo("rules: []\n");
    assertThat(RuleFile.json(List.of())).isEqualTo("{\"rules\":[]}\n");
  }

  @Test
  void textsThatYamlReadsAsOtherTypesAreQuoted() {
    var rule =
        rule("off")
            .description("a: b # c")
            .match("user", "042")
            .match("beta", "true")
            .match("at", "2026-01-01")
            .match("plain", "/api/v1/users:list@x")
            .build();
    assertThat(RuleFile.yaml(List.of(rule)))
        .isEqualTo(
            """
            rules:
              - id: "off"
                description: "a: b # c"
                match: { user: "042", beta: "true", at: "2026-01-01", plain: /api/v1/users:list@x }
                limit: { algorithm: concurrency, max: 5 }
            """);
  }

  @Test
  void nestedAlternativesAreWrittenAsOneList() {
    var nested =
        new AnyOf(
            List.of(new AnyOf(List.of(new Exactly("a"), new Exactly("b"))), new Exactly("c")));
    var rule = rule("a").match(new Match(Map.of("user", nested))).per("user", "user").build();
    assertThat(RuleFile.json(rule))
        .isEqualTo(
            "{\"id\":\"a\",\"match\":{\"user\":[\"a\",\"b\",\"c\"]},\"per\":[\"user\"],"
                + "\"limit\":{\"algorithm\":\"concurrency\",\"max\":5}}");
  }

  @Test
  void reservationIsWrittenWithTheFieldsThatDiffer() {
    var settings =
        ReservationSettings.DEFAULT
            .withTtl(Duration.ofSeconds(90))
            .withMaxShare(500)
            .withDefaultCost(2_000)
            .withOnExpiry(ReservationSettings.OnExpiry.CHARGE_RESERVED)
            .withMaxDebt(Duration.ofMinutes(10));
    var rule = rule("a").reservation(settings).build();
    assertThat(RuleFile.json(rule))
        .isEqualTo(
            "{\"id\":\"a\",\"limit\":{\"algorithm\":\"concurrency\",\"max\":5},"
                + "\"reservation\":{\"ttl\":\"90s\",\"max-share\":\"50%\",\"default\":2000,"
                + "\"on-expiry\":\"charge-reserved\",\"max-debt\":\"10m\"}}");
    assertThat(RuleFile.read(RuleFile.yaml(List.of(rule)))).containsExactly(rule);
  }

  @Test
  void inexpressibleRuleIsNotWritten() {
    assertNotWritten(
        rule("a").match(matching("ip", new Exactly("nobody"))),
        "'nobody' is neither an IP address nor a block such as 10.0.0.0/8 or 2001:db8::/32");
    assertNotWritten(
        rule("a").match(matching("ip", new Exactly("10.0.0.1"))),
        "match.ip: '10.0.0.1' would be read as another pattern");
    assertNotWritten(
        rule("a").match(matching("", new Exactly("x"))),
        "an attribute's name must have 1 to 64 characters, got 0: ''");
    assertNotWritten(
        rule("a").per(""), "an attribute's name must have 1 to 64 characters, got 0: ''");
    assertNotWritten(
        rule("a").limit(RuleLimit.of("b", Concurrency.of(5)).withCost("")),
        "a cost must have a name; leave it out to spend the request's plain cost");
    assertNotWritten(
        rule("a").onStoreFailure(new FailurePolicy.AllowThenDeny(Duration.ofNanos(1))),
        "PT0.000000001S is no positive number of whole microseconds");
  }

  private static void assertNotWritten(Rule.Builder rule, String why) {
    assertThatThrownBy(() -> RuleFile.yaml(List.of(rule.build())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rule 'a' can't be written: " + why);
  }

  private static Match matching(String attribute, Pattern pattern) {
    return new Match(Map.of(attribute, pattern));
  }

  private static Rule.Builder rule(String id) {
    return Rule.named(id).limit(Concurrency.of(5));
  }
}
