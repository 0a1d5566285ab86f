package io.headgate;

import static io.headgate.Limiters.limiter;
import static io.headgate.Limiters.perMinute;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Deny;
import io.headgate.limit.Unlimited;
import io.headgate.rule.Match;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Schedule;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Rules without a counter: {@code deny}, {@code unlimited} and {@code exempt}. */
class DenyAndExemptTest {
  private static final Subject MALLORY = Subject.of("user:mallory");
  private static final Subject PROBE = Subject.of("ip", "10.0.0.1").with("path", "/health");
  private static final Rule BLOCK =
      Rule.named("block").match("key", "user:mallory").limit(new Deny()).build();
  private static final Rule HEALTH = Rule.named("health").match("path", "/health").exempt().build();
  private static final Rule ALL = Rule.named("all").limit(perMinute(2)).build();

  private final ManualTicker ticker = new ManualTicker();

  private static Schedule until(LocalDateTime end) {
    return new Schedule(
        Schedule.ALWAYS.days(),
        Optional.empty(),
        ZoneOffset.UTC,
        Optional.empty(),
        Optional.of(end));
  }

  @Test
  void denyDeniesEveryRequestForGood() {
    var limiter = limiter(ticker, ALL, BLOCK);
    assertThat(limiter.check(MALLORY)).isEqualTo(new Decision.Denied(Decision.Denied.ENDLESS));
    assertThat(limiter.check(Request.of(MALLORY, 0)).isAllowed()).isFalse();
    var result = limiter.checkForResult(MALLORY);
    assertThat(result.rule()).contains(BLOCK);
    assertThat(result.violated()).containsExactly("block");
    assertThat(result.limits().toString()).isEqualTo("[block: 0 of 0 left (deny, violated)]");
    assertThat(result.limit()).contains(result.limits().getFirst());
    assertThat(result.source()).isEqualTo(Source.STORE);
    assertThat(limiter.store().trackedKeys()).as("no other rule is charged").isZero();
  }

  @Test
  void denialEndsWithTheSchedule() {
    var block = BLOCK.toBuilder().active(until(LocalDateTime.of(2026, 1, 1, 1, 0))).build();
    var limiter = limiter(ticker, ALL, block);
    ticker.advance(Duration.ofMillis(1));
    assertThat(limiter.check(MALLORY))
        .isEqualTo(new Decision.Denied(Duration.ofHours(1).minusMillis(1)));
    ticker.advance(Duration.ofMinutes(30));
    assertThat(limiter.check(MALLORY))
        .isEqualTo(new Decision.Denied(Duration.ofMinutes(30).minusMillis(1)));
    ticker.advance(Duration.ofMinutes(30));
    assertThat(limiter.check(MALLORY).isAllowed()).isTrue();
  }

  @Test
  void retryTimeOfADailyDenialIsTheEndOfItsHours() {
    var hours = new Schedule.Hours(LocalTime.of(22, 0), LocalTime.of(6, 0));
    var night =
        new Schedule(
            Schedule.ALWAYS.days(),
            Optional.of(hours),
            ZoneOffset.UTC,
            Optional.empty(),
            Optional.empty());
    var limiter = limiter(ticker, BLOCK.toBuilder().active(night).build());
    assertThat(limiter.check(MALLORY)).isEqualTo(new Decision.Denied(Duration.ofHours(6)));
    ticker.advance(Duration.ofHours(6));
    assertThat(limiter.check(MALLORY).isAllowed()).isTrue();
  }

  @Test
  void exemptRuleExcusesFromAllOthers() {
    var blockAddress = Rule.named("block-ip").match("ip", "10.0.0.1").limit(new Deny()).build();
    var limiter = limiter(ticker, ALL, blockAddress, HEALTH);
    for (int i = 0; i < 5; i++) {
      assertThat(limiter.check(PROBE))
          .isEqualTo(new Decision.Allowed(Decision.Allowed.UNLIMITED, Duration.ZERO));
    }
    var result = limiter.checkForResult(PROBE);
    assertThat(result.rule()).contains(HEALTH);
    assertThat(result.limits()).isEmpty();
    assertThat(result.isUnmatched()).isFalse();
    assertThat(limiter.store().trackedKeys()).isZero();
  }

  @Test
  void unlimitedOverrideExcusesFromItsRuleOnly() {
    var perUser =
        Rule.named("per-user")
            .match("key", "user:*")
            .limit(perMinute(1))
            .override("key", "user:ada", new Unlimited())
            .build();
    var limiter = limiter(ticker, perUser, ALL);
    var ada = Subject.of("user:ada");
    assertThat(limiter.check(ada).isAllowed()).isTrue();
    var second = limiter.checkForResult(ada);
    assertThat(second.isAllowed()).isTrue();
    assertThat(second.rule()).contains(ALL);
    assertThat(limiter.checkForResult(ada).rule()).contains(ALL);
    assertThat(limiter(ticker, perUser).checkForResult(ada).rule()).contains(perUser);
  }

  @Test
  void overrideThatDeniesAppliesToItsSubjectsOnly() {
    var perUser =
        Rule.named("per-user")
            .match("key", "user:*")
            .limit(perMinute(1))
            .override("key", "user:mallory", new Deny())
            .build();
    var limiter = limiter(ticker, perUser);
    assertThat(limiter.check(MALLORY).isAllowed()).isFalse();
    assertThat(limiter.check(Subject.of("user:ada")).isAllowed()).isTrue();
  }

  @Test
  void fallbackThatDeniesMakesTheOtherRulesAnAllowList() {
    var known = Rule.named("known").match("key", "user:*").limit(perMinute(9)).build();
    var limiter = limiter(ticker, Rule.named("rest").fallback().limit(new Deny()).build(), known);
    assertThat(limiter.check(Subject.of("user:ada")).isAllowed()).isTrue();
    assertThat(limiter.check(Subject.of("bot:7")).isAllowed()).isFalse();
  }

  @Test
  void shadowDenialIsReportedAndHasNoEffect() {
    var trial = BLOCK.toBuilder().mode(Mode.SHADOW).build();
    var limiter = limiter(ticker, trial, ALL);
    var result = limiter.checkForResult(MALLORY);
    assertThat(result.isAllowed()).isTrue();
    assertThat(result.rule()).contains(ALL);
    assertThat(result.shadowViolated()).containsExactly("block");
    assertThat(result.shadowDenials()).containsExactly(trial);
    assertThat(result.limits()).hasSize(2);
    assertThat(limiter.check(MALLORY)).isEqualTo(new Decision.Allowed(0, Duration.ofMinutes(1)));
    assertThat(limiter.check(MALLORY)).isEqualTo(new Decision.Denied(Duration.ofSeconds(30)));
  }

  @Test
  void shadowExemptionHasNoEffect() {
    var limiter = limiter(ticker, HEALTH.toBuilder().mode(Mode.SHADOW).build(), ALL);
    assertThat(limiter.checkForResult(PROBE).rule()).contains(ALL);
    limiter.check(PROBE);
    assertThat(limiter.check(PROBE).isAllowed()).isFalse();
  }

  /** A shadow rule with the only counter must not decide in place of an unlimited one. */
  @Test
  void unlimitedRuleIsNotDeniedByAShadowRule() {
    var first =
        Rule.named("first").limit(perMinute(1)).override("key", "*", new Unlimited()).build();
    var trial = Rule.named("trial").mode(Mode.SHADOW).limit(perMinute(1)).build();
    var limiter = limiter(ticker, first, trial);
    for (int i = 0; i < 3; i++) assertThat(limiter.check(MALLORY).isAllowed()).isTrue();
  }

  @Test
  void denialOfOneRequestDeniesAllThatAreDecidedTogether() {
    var limiter =
        limiter(ticker, BLOCK, Rule.named("ips").match("ip", "*").limit(perMinute(1)).build());
    var both = List.of(Request.of(MALLORY), Request.of(PROBE));
    for (int i = 0; i < 3; i++) {
      var result = limiter.checkAll(both);
      assertThat(result.isAllowed()).isFalse();
      assertThat(result.whole().rule()).contains(BLOCK);
      assertThat(result.each().get(0).isAllowed()).isFalse();
      assertThat(result.each().get(1).isAllowed()).isTrue();
      assertThat(result.each().get(1).isUnmatched()).isFalse();
    }
    assertThat(limiter.check(PROBE).isAllowed()).as("nothing was charged").isTrue();
  }

  @Test
  void rulesWithoutACounterNeedNoStore() {
    var limiter = RateLimiter.with(new Unavailable(), RuleSet.of(BLOCK, HEALTH), ticker);
    assertThat(limiter.check(MALLORY).isAllowed()).isFalse();
    assertThat(limiter.check(PROBE).isAllowed()).isTrue();
    assertThat(limiter.peek(MALLORY).isAllowed()).isFalse();
    assertThat(limiter.explain(MALLORY)).hasSize(2);
    assertThat(limiter.checkAsync(MALLORY).toCompletableFuture().join().isAllowed()).isFalse();
    assertThat(limiter.checkAll(List.of(Request.of(MALLORY), Request.of(PROBE))).isAllowed())
        .isFalse();
    assertThat(limiter.acquire(MALLORY).isAllowed()).isFalse();
  }

  @Test
  void countersOfADeniedSubjectCanBeReset() {
    var limiter = limiter(ticker, ALL);
    limiter.check(Request.of(MALLORY, 2));
    limiter.replaceRules(RuleSet.of(ALL, BLOCK));
    assertThat(limiter.reset(MALLORY, "all")).isTrue();
    assertThat(limiter.reset(MALLORY, "block")).isTrue();
    limiter.replaceRules(RuleSet.of(ALL));
    assertThat(limiter.check(Request.of(MALLORY, 2)).isAllowed()).isTrue();
  }

  @Test
  void explainNamesTheRuleThatDecides() {
    var perUser =
        Rule.named("per-user")
            .limit(perMinute(1))
            .override("path", "/export", new Deny())
            .override("path", "/free", new Unlimited())
            .build();
    var off = HEALTH.toBuilder().mode(Mode.SHADOW).match(Match.EVERYTHING).build();
    var limiter = limiter(ticker, perUser, BLOCK, HEALTH);
    assertThat(reasons(limiter, PROBE))
        .containsExactly(
            "matches, but is excused by rule 'health'",
            "key is (absent), not user:mallory",
            "applies and excuses from all other rules");
    assertThat(reasons(limiter, MALLORY))
        .containsExactly(
            "matches, but rule 'block' denies every request",
            "applies and denies every request",
            "path is (absent), not /health");
    assertThat(reasons(limiter, Subject.of("path", "/export")).getFirst())
        .isEqualTo("applies, with override 1 and denies every request");
    assertThat(reasons(limiter, Subject.of("path", "/free")).getFirst())
        .isEqualTo("applies, with override 2, which sets no limit");
    var shadows = limiter(ticker, BLOCK.toBuilder().mode(Mode.SHADOW).build(), off);
    assertThat(reasons(shadows, MALLORY))
        .containsExactly(
            "applies in shadow: would deny every request, and denies none",
            "applies in shadow: would excuse from all other rules, and excuses from none");
  }

  private static List<String> reasons(RateLimiter limiter, Subject subject) {
    return limiter.explain(subject).stream().map(e -> e.explanation().reason()).toList();
  }

  /** A store that fails every call. */
  private static final class Unavailable extends ForwardingStore {
    Unavailable() {
      super(MemoryStore.create());
    }

    @Override
    public PlanResult decide(Plan plan) {
      throw new AssertionError("the store was called with " + plan.charges());
    }

    @Override
    public PlanResult peek(Plan plan) {
      throw new AssertionError("the store was called with " + plan.charges());
    }

    @Override
    public CompletionStage<PlanResult> decideAsync(Plan plan) {
      throw new AssertionError("the store was called with " + plan.charges());
    }
  }
}
