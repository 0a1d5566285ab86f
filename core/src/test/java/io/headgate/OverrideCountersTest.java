package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.rule.Combine;
import io.headgate.rule.LimitOverride;
import io.headgate.rule.Match;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An override shares the rule's counter only if the counter's key determines that it applies. */
class OverrideCountersTest {
  private static final Subject ANN = Subject.of("user", "ann");

  private final ManualTicker ticker = new ManualTicker();

  private RateLimiter limiter(Rule... rules) {
    return RateLimiter.with(MemoryStore.create(ticker, 1_000), RuleSet.of(rules), ticker);
  }

  @Test
  void alternatingMethodsFarBelowBothLimitsAreNeverDenied() {
    var rule =
        Rule.named("api")
            .match("user", "*")
            .limit(SlidingWindow.of(Rate.perMinute(100)))
            .override("method", "POST", SlidingWindow.of(Rate.perMinute(50)))
            .build();
    try (var limiter = limiter(rule)) {
      for (int i = 0; i < 20 * 120; i++) { // 10 GET and 10 POST a minute, for two hours
        ticker.advance(Duration.ofSeconds(3));
        var request = ANN.with("method", i % 2 == 0 ? "GET" : "POST");
        assertThat(limiter.check(request).isAllowed()).as("request %d", i).isTrue();
      }
    }
  }

  @Test
  void anotherPathDoesNotRenewTheOverridesWindow() {
    try (var limiter = limiter(exports())) {
      ticker.advance(Duration.ofHours(1).minusNanos(ticker.micros() % 3_600_000_000L * 1_000));
      int exported = 0;
      for (int minute = 0; minute < 59; minute++) {
        while (limiter.check(ANN.with("path", "/export")).isAllowed()) exported++;
        limiter.check(ANN.with("path", "/"));
        ticker.advance(Duration.ofMinutes(1));
      }
      assertThat(exported).isEqualTo(1_000);
    }
  }

  @Test
  void overrideOnAnAttributeOfPerSharesTheRulesCounter() {
    var rule = Rule.named("api").match("user", "*").limit(daily(4)).build();
    var raised =
        Rule.named("api").match("user", "*").limit(daily(4)).override("user", "ann", daily(8));
    try (var limiter = limiter(rule)) {
      limiter.check(Request.of(ANN, 2));
      limiter.replaceRules(RuleSet.of(raised.build()));
      assertThat(remaining(limiter, ANN)).isEqualTo(4);
    }
  }

  @Test
  void newOverrideHasAFreshCounterAndLeavesTheRulesCounterUnchanged() {
    var before = Rule.named("api").match("user", "*").limit(daily(4)).build();
    var after =
        Rule.named("api").match("user", "*").limit(daily(4)).override("method", "POST", daily(2));
    try (var limiter = limiter(before)) {
      limiter.check(Request.of(ANN, 4));
      limiter.replaceRules(RuleSet.of(after.build()));
      assertThat(remaining(limiter, ANN)).isEqualTo(0);
      assertThat(remaining(limiter, ANN.with("method", "POST"))).isEqualTo(2);
    }
  }

  @Test
  void counterStaysWhenOverridesAreReorderedAndTheirLimitsChange() {
    var post = Match.of("method", "POST").and("path", "/a*");
    var samePost = Match.of("path", "/a*").and("method", "POST");
    var before =
        Rule.named("api")
            .match("user", "*")
            .limit(daily(100))
            .override(new LimitOverride(post, List.of(RuleLimit.of("api", daily(4)))))
            .override("method", "PUT", daily(2));
    var after =
        Rule.named("api")
            .match("user", "*")
            .limit(daily(100))
            .override("method", "PUT", daily(2))
            .override(new LimitOverride(samePost, List.of(RuleLimit.of("api", daily(8)))));
    var request = ANN.with("method", "POST").with("path", "/a");
    try (var limiter = limiter(before.build())) {
      limiter.check(Request.of(request, 2));
      limiter.replaceRules(RuleSet.of(after.build()));
      assertThat(remaining(limiter, request)).isEqualTo(4);
    }
  }

  @Test
  void limitRepeatedByAnOverrideSharesTheRulesCounter() {
    var everybody = RuleLimit.of("all", daily(10)).withPer().withScope(RuleLimit.Scope.GLOBAL);
    var user = RuleLimit.of("user", daily(2)).withScope(RuleLimit.Scope.USER);
    var vip = RuleLimit.of("user", daily(20)).withScope(RuleLimit.Scope.USER);
    var rule =
        Rule.named("api")
            .match("user", "*")
            .combine(new Combine.Hierarchical())
            .limit(user)
            .limit(everybody)
            .override(new LimitOverride(Match.of("plan", "vip"), List.of(vip, everybody)))
            .build();
    try (var limiter = limiter(rule)) {
      assertThat(limiter.check(Request.of(ANN.with("plan", "vip"), 9)).isAllowed()).isTrue();
      assertThat(limiter.check(Subject.of("user", "bob")).isAllowed()).isTrue();
      assertThat(limiter.check(Subject.of("user", "eve")).isAllowed()).isFalse();
      assertThat(rule.separateCounters()).containsExactly(new Rule.SeparateCounter(0, 0));
    }
  }

  @Test
  void repeatedLimitIsSeparateIfTheKeyMayHaveAnotherLimit() {
    var rule =
        Rule.named("api")
            .match("tenant", "*")
            .limit(daily(10))
            .override("user", "ann", daily(10))
            .override("tenant", "acme", daily(50))
            .build();
    assertThat(rule.separateCounters()).containsExactly(new Rule.SeparateCounter(0, 0));
  }

  @Test
  void overridesOfSingleIpv6AddressesHaveSeparateCounters() {
    assertThat(addressRule("2001:db8::1").separateCounters()).hasSize(1);
    assertThat(addressRule("2001:db8::/64").separateCounters()).isEmpty();
    assertThat(addressRule("10.0.0.1").separateCounters()).isEmpty();
    assertThat(addressRule("10.*").separateCounters()).hasSize(1); // ::ffff:10.0.0.1 is equal
  }

  @Test
  void limitsPerDifferentAttributesHaveSeparateCounters() {
    var byTenant = RuleLimit.of("api", daily(10)).withPer("tenant");
    var rule =
        Rule.named("api")
            .match("user", "*")
            .limit(daily(10))
            .override(new LimitOverride(Match.of("user", "ann"), List.of(byTenant)))
            .build();
    try (var limiter = limiter(rule)) {
      limiter.check(Request.of(Subject.of("user", "acme"), 10));
      assertThat(limiter.check(Request.of(ANN.with("tenant", "acme"), 10)).isAllowed()).isTrue();
    }
  }

  @Test
  void attributeFixedByTheRulesMatchSharesTheCounter() {
    var rule =
        Rule.named("login")
            .match("path", "/login")
            .match("user", "*")
            .limit(daily(10))
            .override(
                new LimitOverride(
                    Match.of("path", "/login").and("user", "ann"),
                    List.of(RuleLimit.of("login", daily(20)))))
            .build();
    assertThat(rule.separateCounters()).isEmpty();
  }

  @Test
  void resetClearsEveryCounterOfTheSubject() {
    try (var limiter = limiter(exports())) {
      var export = ANN.with("path", "/export");
      var other = Subject.of("user", "bob").with("path", "/export");
      for (var subject : List.of(ANN, export, other)) limiter.check(Request.of(subject, 7));
      assertThat(limiter.reset(ANN, "api")).isTrue();
      assertThat(remaining(limiter, ANN)).isEqualTo(100);
      assertThat(remaining(limiter, export)).isEqualTo(1_000);
      assertThat(remaining(limiter, other)).isEqualTo(993);
      limiter.check(Request.of(ANN, 7));
      limiter.reset(export, "api");
      assertThat(remaining(limiter, ANN)).isEqualTo(100);
    }
  }

  @Test
  void slotOfAnOverrideIsReleasedAfterTheOverridesWereReordered() {
    var one = Concurrency.of(1).withLease(Duration.ofHours(1));
    var two = Concurrency.of(2).withLease(Duration.ofHours(1));
    var three = Concurrency.of(3).withLease(Duration.ofHours(1));
    var before =
        Rule.named("api")
            .match("user", "*")
            .limit(three)
            .override("method", "POST", one)
            .override("method", "PUT", two);
    var after =
        Rule.named("api")
            .match("user", "*")
            .limit(three)
            .override("method", "PUT", two)
            .override("method", "POST", one);
    var post = ANN.with("method", "POST");
    try (var limiter = limiter(before.build())) {
      var slot = limiter.acquire(post);
      limiter.replaceRules(RuleSet.of(after.build()));
      assertThat(limiter.check(post).isAllowed()).isFalse();
      assertThat(slot.renew()).isTrue();
      assertThat(limiter.release(slot.id().orElseThrow())).isTrue();
      assertThat(limiter.check(post).isAllowed()).isTrue();
    }
  }

  @Test
  void explanationNamesTheSeparateCounter() {
    try (var limiter = limiter(exports())) {
      var explained = limiter.explain(ANN.with("path", "/export")).getFirst();
      assertThat(explained.explanation().reason())
          .isEqualTo("applies, with override 1, which has a counter of its own for api");
      assertThat(explained.limits().getFirst().limit()).isEqualTo(1_000);
    }
  }

  private static Rule exports() {
    return Rule.named("api")
        .match("user", "*")
        .limit(FixedWindow.of(Rate.perMinute(100)))
        .override("path", "/export", FixedWindow.of(Rate.perHour(1_000)))
        .build();
  }

  private static Rule addressRule(String pattern) {
    return Rule.named("ip")
        .match("ip", "*")
        .limit(daily(5))
        .override("ip", pattern, daily(9))
        .build();
  }

  private static FixedWindow daily(long permits) {
    return FixedWindow.of(Rate.perDay(permits));
  }

  private static long remaining(RateLimiter limiter, Subject subject) {
    return limiter.peek(Request.of(subject, 0)).limit().orElseThrow().remaining();
  }
}
