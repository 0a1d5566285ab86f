package io.headgate;

import static io.headgate.Limiters.limiter;
import static io.headgate.Limiters.perMinute;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision.Allowed;
import io.headgate.Decision.Delayed;
import io.headgate.Decision.Denied;
import io.headgate.Decision.Impossible;
import io.headgate.limit.Algorithm;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Combine;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CheckResultTest {
  private static final Request ONE = Request.of(Subject.of("x"));

  private final ManualTicker ticker = new ManualTicker();

  @Test
  void allowedRequestReportsTheTightestLimit() {
    var limiter =
        limiter(
            ticker,
            Rule.named("wide").limit(perMinute(10)).build(),
            Rule.named("tight").limit(perMinute(3)).build(),
            Rule.named("middle").limit(perMinute(6)).build());
    var result = limiter.checkForResult(ONE);
    assertThat(result.isAllowed()).isTrue();
    assertThat(result.rule().map(Rule::id)).contains("tight");
    assertThat(result.decision()).isEqualTo(new Allowed(2, Duration.ofSeconds(20)));
    assertThat(result.violated()).isEmpty();
    assertThat(result.source()).isEqualTo(Source.STORE);
    assertThat(result.limits().stream().map(LimitReport::policy))
        .containsExactly("wide", "tight", "middle");
    assertThat(result).hasToString(result.decision() + " by tight");
  }

  @Test
  void delayLongerThanTheClientWaitsIsADenialByTheQueue() {
    var queue = LeakyBucket.of(Rate.perMinute(1)).withQueue(9);
    var limiter =
        limiter(
            ticker,
            Rule.named("bucket").limit(perMinute(1_000)).build(),
            Rule.named("queue").limit(queue).build());
    limiter.check(ONE);
    var delayed = limiter.checkForResult(ONE);
    var wait = Duration.ofMinutes(1);
    assertThat(delayed.delay()).isEqualTo(wait);
    assertThat(delayed.withMaxWait(wait)).isSameAs(delayed);
    var denied = delayed.withMaxWait(wait.minusMillis(1));
    assertThat(denied.isAllowed()).isFalse();
    assertThat(denied.decision()).isEqualTo(new Denied(wait));
    assertThat(denied.rule().map(Rule::id)).contains("queue");
    var passed = new HashMap<String, Boolean>();
    denied.forEachRule((rule, pass) -> passed.put(rule.id(), pass));
    assertThat(passed).isEqualTo(Map.of("bucket", true, "queue", false));
  }

  @Test
  void reportContainsTheStateOfTheLimit() {
    var limiter =
        limiter(
            ticker,
            Rule.named("contract")
                .mode(Mode.SHADOW)
                .limit(RuleLimit.of("calls", FixedWindow.of(Rate.perMinute(5))).withCost("calls"))
                .build());
    ticker.advance(Duration.ofSeconds(10));
    var reports =
        limiter.checkForResult(new Request(Subject.of("x"), 1, Map.of("calls", 2L))).limits();
    assertThat(reports).hasSize(1);
    var report = reports.getFirst();
    assertThat(report.rule()).isEqualTo("contract");
    assertThat(report.name()).isEqualTo("calls");
    assertThat(report.policy()).isEqualTo("contract/calls");
    assertThat(report.algorithm()).isEqualTo(Algorithm.FIXED_WINDOW);
    assertThat(report.limit()).isEqualTo(5);
    assertThat(report.remaining()).isEqualTo(3);
    assertThat(report.resetAfter()).isEqualTo(Duration.ofSeconds(50));
    assertThat(report.window()).isEqualTo(Duration.ofMinutes(1));
    assertThat(report.cost()).contains("calls");
    assertThat(report.violated()).isFalse();
    assertThat(report.enforced()).isFalse();
    assertThat(report).hasToString("contract/calls: 3 of 5 left (fixed-window, shadow)");
  }

  @Test
  void reportsOfTheSameStateAreEqual() {
    var rule = Rule.named("r").limit(perMinute(5)).build();
    var limiter = limiter(ticker, rule);
    var first = limiter.checkForResult(ONE).limits();
    assertThat(limiter.checkForResult(ONE).limits()).isNotEqualTo(first);
    var another = limiter(ticker, rule).checkForResult(ONE).limits();
    assertThat(another).isEqualTo(first).hasSameHashCodeAs(first);
    var changed = Rule.named("r").limit(perMinute(5).withBurst(9)).build();
    assertThat(limiter(ticker, changed).checkForResult(ONE).limits()).isNotEqualTo(first);
  }

  @Test
  void deniedRequestReportsTheRuleWithTheLongestRetryTime() {
    var limiter =
        limiter(
            ticker,
            Rule.named("soon").limit(perTenSeconds(1)).build(),
            Rule.named("late").limit(perMinute(1)).property("status", "420").build(),
            Rule.named("content").limit(perMinute(9)).build());
    limiter.check(ONE);
    var result = limiter.checkForResult(ONE);
    assertThat(result.decision()).isEqualTo(new Denied(Duration.ofSeconds(60)));
    assertThat(result.rule().map(Rule::id)).contains("late");
    assertThat(result.rule().orElseThrow().properties()).containsEntry("status", "420");
    assertThat(result.violated()).containsExactly("soon", "late");
    assertThat(result.delay()).isZero();
  }

  @Test
  void everyLimitThatRefusedIsReported() {
    var limiter =
        limiter(
            ticker,
            Rule.named("a")
                .limit(RuleLimit.of("one", perMinute(1)))
                .limit(RuleLimit.of("two", perMinute(2)))
                .limit(RuleLimit.of("also", perMinute(1)))
                .build(),
            Rule.named("b").limit(perMinute(1)).build());
    limiter.check(ONE);
    var result = limiter.checkForResult(ONE);
    assertThat(result.violated()).containsExactly("a/one", "a/also", "b");
    assertThat(result.limits().stream().filter(LimitReport::violated).map(LimitReport::policy))
        .containsExactly("a/one", "a/also", "b");
  }

  @Test
  void narrowScopeIsReportedEvenIfTheWideOneTakesLonger() {
    var limiter = limiter(ticker, ordered(perMinute(2), perMinute(1), "bytes"));
    limiter.check(spending(2, 1));
    var result = limiter.checkForResult(spending(1, 1));
    assertThat(result.decision()).isEqualTo(new Denied(Duration.ofSeconds(60)));
    assertThat(result.violated()).containsExactly("r/own");
    assertThat(result.limit().map(LimitReport::policy)).contains("r/own");
  }

  @Test
  void limitWhoseCapacityIsExceededIsReportedFirst() {
    var limiter = limiter(ticker, ordered(perMinute(1), perMinute(10), "bytes"));
    limiter.check(spending(1, 0));
    var result = limiter.checkForResult(spending(1, 11));
    assertThat(result.decision()).isEqualTo(new Impossible(11, 10));
    assertThat(result.violated()).containsExactly("r/all");
    assertThat(result.limit().map(LimitReport::policy)).contains("r/all");
  }

  @Test
  void anyReportsTheLimitWithTheEarliestRetryTime() {
    var limiter = limiter(ticker, either(perMinute(1), perMinute(2)));
    limiter.check(ONE);
    limiter.check(Request.of(Subject.of("x"), 2));
    var result = limiter.checkForResult(ONE);
    assertThat(result.decision()).isEqualTo(new Denied(Duration.ofSeconds(30)));
    assertThat(result.limit().map(LimitReport::policy)).contains("r/other");
    assertThat(result.violated()).containsExactly("r/one", "r/other");
  }

  @Test
  void anyIsNotImpossibleIfOnlyOneLimitIsTooSmall() {
    var limiter = limiter(ticker, either(perMinute(2), perMinute(6)));
    var three = Request.of(Subject.of("x"), 3);
    assertThat(limiter.check(three)).isInstanceOf(Allowed.class);
    limiter.check(three);
    assertThat(limiter.check(three)).isEqualTo(new Denied(Duration.ofSeconds(30)));
    assertThat(limiter.check(Request.of(Subject.of("x"), 7))).isInstanceOf(Impossible.class);
  }

  @Test
  void allowedRequestIsNeverImpossible() {
    var limiter =
        limiter(
            ticker,
            Rule.named("r")
                .combine(new Combine.Weighted(500))
                .limit(RuleLimit.of("small", perMinute(1)))
                .limit(RuleLimit.of("large", perMinute(9)))
                .build());
    var result = limiter.checkForResult(Request.of(Subject.of("x"), 2));
    assertThat(result.isAllowed()).isTrue();
    assertThat(result.decision()).isInstanceOf(Allowed.class);
  }

  @Test
  void shadowRuleIsReportedButNotEnforced() {
    var limiter =
        limiter(
            ticker,
            Rule.named("real").limit(perMinute(5)).build(),
            Rule.named("strict").mode(Mode.SHADOW).limit(perMinute(1)).build());
    assertThat(limiter.checkForResult(ONE).shadowViolated()).isEmpty();
    var result = limiter.checkForResult(ONE);
    assertThat(result.decision()).isEqualTo(new Allowed(3, Duration.ofSeconds(24)));
    assertThat(result.violated()).isEmpty();
    assertThat(result.shadowViolated()).containsExactly("strict");
    assertThat(result.rule().map(Rule::id)).contains("real");
    assertThat(result.limits().get(1).violated()).isTrue();
    assertThat(result.limits().get(1).enforced()).isFalse();
  }

  @Test
  void shadowRulesAloneNeverDeny() {
    var limiter =
        limiter(ticker, Rule.named("strict").mode(Mode.SHADOW).limit(perMinute(1)).build());
    limiter.check(ONE);
    var result = limiter.checkForResult(ONE);
    assertThat(result.decision()).isEqualTo(new Allowed(Allowed.UNLIMITED, Duration.ZERO));
    assertThat(result.rule()).isEmpty();
    assertThat(result.shadowViolated()).containsExactly("strict");
    assertThat(result).hasToString(result.decision() + " (no rule applies)");
  }

  @Test
  void requestWaitsForTheLongestOfItsQueues() {
    var limiter =
        limiter(
            ticker,
            Rule.named("short").limit(LeakyBucket.of(Rate.perSecond(10)).withQueue(9)).build(),
            Rule.named("long").limit(LeakyBucket.of(Rate.perSecond(2)).withQueue(5)).build(),
            Rule.named("shadow")
                .mode(Mode.SHADOW)
                .limit(LeakyBucket.of(Rate.perSecond(1)).withQueue(5))
                .build());
    assertThat(limiter.checkForResult(ONE).delay()).isZero();
    var result = limiter.checkForResult(ONE);
    assertThat(result.delay()).isEqualTo(Duration.ofMillis(500));
    assertThat(result.decision())
        .isEqualTo(new Delayed(Duration.ofMillis(500), 4, Duration.ofSeconds(1)));
    assertThat(result.isAllowed()).isTrue();
  }

  @Test
  void peekShowsTheDelayWithoutTakingAPlace() {
    var limiter =
        limiter(
            ticker, Rule.named("q").limit(LeakyBucket.of(Rate.perSecond(2)).withQueue(5)).build());
    limiter.check(ONE);
    assertThat(limiter.peek(ONE).delay()).isEqualTo(Duration.ofMillis(500));
    assertThat(limiter.checkForResult(ONE).delay()).isEqualTo(Duration.ofMillis(500));
  }

  private static Limit perTenSeconds(long permits) {
    return TokenBucket.of(Rate.of(permits, Duration.ofSeconds(10)));
  }

  private static Rule ordered(Limit own, Limit all, String cost) {
    return Rule.named("r")
        .combine(new Combine.Hierarchical())
        .limit(RuleLimit.of("all", all).withScope(RuleLimit.Scope.GLOBAL).withCost(cost))
        .limit(RuleLimit.of("own", own).withScope(RuleLimit.Scope.USER))
        .build();
  }

  private static Rule either(Limit one, Limit other) {
    return Rule.named("r")
        .combine(new Combine.Any())
        .limit(RuleLimit.of("one", one))
        .limit(RuleLimit.of("other", other))
        .build();
  }

  private static Request spending(long cost, long bytes) {
    return new Request(Subject.of("x"), cost, Map.of("bytes", bytes));
  }
}
