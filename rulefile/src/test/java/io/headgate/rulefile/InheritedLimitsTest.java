package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The fields that the limit of an override takes over from the rule's. */
class InheritedLimitsTest {
  private static Rule rule(String limits, String override) {
    return RuleFile.readRule(
        "{ id: r, match: { key: \"*\" }, %s, overrides: [ { match: { key: a }, %s } ] }"
            .formatted(limits, override));
  }

  private static List<RuleLimit> inherited(String limits, String override) {
    return rule(limits, override).overrides().getFirst().limits();
  }

  private static Limit one(String limit, String override) {
    var limits = inherited("limit: " + limit, "limit: " + override);
    assertThat(limits).hasSize(1);
    assertThat(limits.getFirst().name()).isEqualTo("r");
    return limits.getFirst().limit();
  }

  @Test
  void fieldsThatAnOverrideDoesNotNameAreTheRules() {
    String bucket = "{ algorithm: token-bucket, rate: 100/1m, burst: 200 }";
    assertThat(one(bucket, "{ rate: 1000/1m }"))
        .isEqualTo(new TokenBucket(Rate.perMinute(1_000), 200));
    assertThat(one(bucket, "{ burst: 500 }")).isEqualTo(new TokenBucket(Rate.perMinute(100), 500));
    assertThat(one("{ algorithm: concurrency, max: 3, lease: 1m }", "{ max: 9 }"))
        .isEqualTo(new Concurrency(9, Duration.ofMinutes(1)));
    var berlin = new Window.Calendar(Window.Unit.DAY, ZoneId.of("Europe/Berlin"));
    assertThat(
            one(
                "{ algorithm: fixed-window, rate: 10/1d, align: calendar, zone: Europe/Berlin }",
                "{ rate: 20/1d }"))
        .isEqualTo(FixedWindow.of(20, berlin));
  }

  /** Files and revisions that were written before keep their meaning. */
  @Test
  void limitThatNamesItsAlgorithmIsComplete() {
    String bucket = "{ algorithm: token-bucket, rate: 100/1m, burst: 200 }";
    assertThat(one(bucket, "{ algorithm: token-bucket, rate: 1000/1m }"))
        .isEqualTo(TokenBucket.of(Rate.perMinute(1_000)));
  }

  @Test
  void otherAlgorithmInheritsTheRateOnly() {
    String bucket = "{ algorithm: token-bucket, rate: 100/1m, burst: 200 }";
    assertThat(one(bucket, "{ algorithm: rolling-window }"))
        .isEqualTo(RollingWindow.of(Rate.perMinute(100)));
    assertThatThrownBy(() -> one(bucket, "{ algorithm: concurrency }"))
        .hasMessageContaining("overrides[0].limit.max: is missing");
  }

  @Test
  void fieldsThatReplaceEachOtherAreNotMixed() {
    String queue = "{ algorithm: leaky-bucket, rate: 10/1s, queue: 5 }";
    var plain = LeakyBucket.of(Rate.perSecond(10));
    assertThat(one(queue, "{ max-wait: 2s }")).isEqualTo(plain.withMaxWait(Duration.ofSeconds(2)));
    assertThat(one(queue, "{ mode: reject }")).isEqualTo(plain);
    assertThat(one(queue, "{ rate: 20/1s }"))
        .isEqualTo(LeakyBucket.of(Rate.perSecond(20)).withQueue(5));
    assertThat(
            one(
                "{ algorithm: fixed-window, rate: 10/1d, align: calendar, zone: Europe/Berlin }",
                "{ align: epoch }"))
        .isEqualTo(FixedWindow.of(Rate.perDay(10)));
  }

  @Test
  void oneOfSeveralLimitsInheritsByItsName() {
    String limits =
        "limits: [ { name: calls, algorithm: fixed-window, rate: 10/1h, per: [key] },"
            + " { name: bytes, algorithm: token-bucket, rate: 1M/1h, cost: bytes } ]";
    assertThat(
            inherited(
                limits, "limits: [ { name: bytes, rate: 2M/1h }, { name: calls, rate: 5/1h } ]"))
        .containsExactly(
            RuleLimit.of("bytes", TokenBucket.of(Rate.perHour(2_000_000))).withCost("bytes"),
            RuleLimit.of("calls", FixedWindow.of(Rate.perHour(5))).withPer("key"));
    assertThat(inherited(limits, "limit: { name: calls, rate: 7/1h }"))
        .containsExactly(RuleLimit.of("calls", FixedWindow.of(Rate.perHour(7))).withPer("key"));
    assertThatThrownBy(() -> inherited(limits, "limit: { rate: 7/1h }"))
        .hasMessageContaining("overrides[0].limit.algorithm: is missing");
  }

  @Test
  void inheritedFieldThatDoesNotFitIsAProblemOfTheOverride() {
    assertThatThrownBy(() ->
            one(
                "{ algorithm: fixed-window, rate: 10/1mo, align: calendar }",
                "{ algorithm: token-bucket }"))
        .hasMessageContaining("overrides[0].limit.rate: '1mo' has no fixed length");
  }

  @Test
  void invalidLimitOfTheRuleIsReportedOnce() {
    assertThatThrownBy(() -> one("{ algorithm: token-bucket, rate: x/1m }", "{ burst: 5 }"))
        .isInstanceOfSatisfying(RuleFileException.class, e -> assertThat(e.problems()).hasSize(1));
    assertThatThrownBy(() -> inherited("limit: deny", "limit: { burst: 5 }"))
        .hasMessageContaining("overrides[0].limit.algorithm: is missing");
  }

  /**
   * A written override is complete, so that it does not depend on the rule that it is read with.
   */
  @Test
  void writtenOverrideIsComplete() {
    var rule =
        rule(
            "limit: { algorithm: token-bucket, rate: 100/1m, burst: 200 }",
            "limit: { rate: 9/1m }");
    assertThat(RuleFile.json(rule))
        .contains("{\"algorithm\":\"token-bucket\",\"rate\":\"9/1m\",\"burst\":200}");
    assertThat(RuleFile.readRule(RuleFile.json(rule))).isEqualTo(rule);
  }
}
