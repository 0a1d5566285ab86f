package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.headgate.limit.Algorithm;
import io.headgate.limit.Deny;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RuleStatusTest {
  private static final String LIMIT =
      "\"limit\":{\"algorithm\":\"token-bucket\",\"rate\":\"1/1s\"}";

  private static Rule.Builder rule() {
    return Rule.named("r").limit(TokenBucket.of(Rate.perSecond(1)));
  }

  private static String json(String status) {
    return "{\"id\":\"r\",%s,\"status\":%s}".formatted(LIMIT, status);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 403, 503, 599})
  void statusOfAFileIsAPropertyAndIsWrittenBack(int status) {
    var read = RuleFile.readRule(json("" + status));
    assertThat(read).isEqualTo(rule().property("status", "" + status).build());
    assertThat(RuleStatus.of(read, Algorithm.TOKEN_BUCKET)).isEqualTo(status);
    assertThat(RuleStatus.of(read, Algorithm.DENY)).isEqualTo(status);
    assertThat(RuleFile.json(read)).isEqualTo(json("" + status));
  }

  @Test
  void defaultStatusIsNeitherStoredNorWritten() {
    var read = RuleFile.readRule(json("429"));
    assertThat(read).isEqualTo(rule().build());
    assertThat(RuleStatus.of(read, Algorithm.TOKEN_BUCKET)).isEqualTo(429);
    assertThat(RuleFile.json(read)).isEqualTo("{\"id\":\"r\",%s}".formatted(LIMIT));
    assertThat(RuleFile.json(rule().property("status", "429").build()))
        .isEqualTo(RuleFile.json(read));
  }

  /** 429 is not the default of a rule that denies, so it has to be kept. */
  @Test
  void ruleThatDeniesHasStatus403UnlessItSetsAnother() {
    var plain = Rule.named("r").limit(new Deny()).build();
    var set = plain.toBuilder().property("status", "429").build();
    assertThat(RuleStatus.of(plain, Algorithm.DENY)).isEqualTo(403);
    assertThat(RuleStatus.of(set, Algorithm.DENY)).isEqualTo(429);
    assertThat(RuleFile.json(set)).isEqualTo("{\"id\":\"r\",\"limit\":\"deny\",\"status\":429}");
    assertThat(RuleFile.readRule(RuleFile.json(set))).isEqualTo(set);
  }

  @ParameterizedTest
  @ValueSource(strings = {"200", "399", "600"})
  void statusThatIsNoErrorIsRejected(String status) {
    var rule = rule().property("status", status).build();
    String message = "status of rule 'r' must be 400 to 599, got " + status;
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RuleStatus.of(rule, Algorithm.TOKEN_BUCKET))
        .withMessage(message);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RuleFile.json(rule))
        .withMessage("rule 'r' can't be written: " + message);
  }

  @Test
  void propertyWithoutAFieldCanNotBeWritten() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RuleFile.json(rule().property("team", "search").build()))
        .withMessage("rule 'r' can't be written: property 'team' has no field in a rule file");
  }
}
