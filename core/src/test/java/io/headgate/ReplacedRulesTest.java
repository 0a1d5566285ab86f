package io.headgate;

import static io.headgate.Limiters.limiter;
import static io.headgate.Limiters.perMinute;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision.Denied;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ReplacedRulesTest {
  private static final Subject ADA = Subject.of("ada");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final ManualTicker ticker = new ManualTicker();

  @Test
  void newRuleAppliesFromTheNextCheck() {
    var limiter = limiter(ticker);
    assertThat(limiter.checkForResult(ADA).rule()).isEmpty();
    var rules = rules(perMinute(1));
    limiter.replaceRules(rules);
    assertThat(limiter.rules()).isSameAs(rules);
    assertThat(limiter.checkForResult(ADA).rule().map(Rule::id)).contains("r");
  }

  @Test
  void unchangedRuleKeepsItsState() {
    var limiter = limiter(ticker, rules(perMinute(10)));
    limiter.check(Request.of(ADA, 7));
    ticker.advance(Duration.ofSeconds(3));
    var before = limiter.peek(ADA).decision();
    limiter.replaceRules(
        RuleSet.of(
            Rule.named("new").limit(perMinute(100)).build(),
            Rule.named("r").match("key", "*").limit(perMinute(10)).build()));
    assertThat(limiter.peek(ADA).decision()).isEqualTo(before);
  }

  @Test
  void throttledCallerStaysThrottledUnderAHigherLimit() {
    var limiter = limiter(ticker, rules(perMinute(10)));
    limiter.check(Request.of(ADA, 10));
    limiter.replaceRules(rules(perMinute(20)));
    assertThat(limiter.check(ADA)).isEqualTo(new Denied(MINUTE.dividedBy(20)));
    ticker.advance(MINUTE.dividedBy(2));
    assertThat(remaining(limiter)).isEqualTo(10);
  }

  @Test
  void usageIsKeptInProportionUnderAHigherLimit() {
    var limiter = limiter(ticker, rules(perMinute(10)));
    limiter.check(Request.of(ADA, 5));
    limiter.replaceRules(rules(perMinute(20)));
    assertThat(remaining(limiter)).isEqualTo(10);
  }

  @Test
  void usageIsKeptInProportionUnderALowerLimit() {
    var limiter = limiter(ticker, rules(perMinute(20)));
    limiter.check(Request.of(ADA, 10));
    limiter.replaceRules(rules(perMinute(4)));
    assertThat(remaining(limiter)).isEqualTo(2);
  }

  @Test
  void usageIsKeptInProportionUnderAnotherAlgorithm() {
    var limiter = limiter(ticker, rules(perMinute(10)));
    limiter.check(Request.of(ADA, 5));
    limiter.replaceRules(rules(FixedWindow.of(Rate.perMinute(4))));
    assertThat(remaining(limiter)).isEqualTo(2);
    limiter.replaceRules(rules(SlidingWindow.of(Rate.perMinute(100))));
    assertThat(remaining(limiter)).isEqualTo(50);
  }

  @Test
  void throttledCallerStaysThrottledUnderAnotherAlgorithm() {
    var limiter = limiter(ticker, rules(FixedWindow.of(Rate.perMinute(10))));
    limiter.check(Request.of(ADA, 10));
    limiter.replaceRules(rules(perMinute(10)));
    assertThat(limiter.check(ADA).isAllowed()).isFalse();
    limiter.replaceRules(rules(SlidingWindow.of(Rate.perMinute(10))));
    assertThat(limiter.check(ADA).isAllowed()).isFalse();
  }

  @Test
  void throttledCallerStaysThrottledUnderANewOverride() {
    var limiter = limiter(ticker, rules(perMinute(10)));
    limiter.check(Request.of(ADA, 10));
    limiter.replaceRules(
        RuleSet.of(
            Rule.named("r")
                .match("key", "*")
                .limit(perMinute(10))
                .override("key", "ada", perMinute(600))
                .build()));
    assertThat(limiter.check(ADA)).isEqualTo(new Denied(Duration.ofMillis(100)));
    ticker.advance(MINUTE);
    assertThat(limiter.check(Request.of(ADA, 600)).isAllowed()).isTrue();
  }

  @Test
  void shadowRuleKeepsItsCountsWhenItIsEnforced() {
    var shadow = Rule.named("r").match("key", "*").mode(Mode.SHADOW).limit(perMinute(3)).build();
    var limiter = limiter(ticker, shadow);
    for (int i = 0; i < 5; i++) assertThat(limiter.check(ADA).isAllowed()).isTrue();
    limiter.replaceRules(rules(perMinute(3)));
    assertThat(limiter.check(ADA).isAllowed()).isFalse();
  }

  @Test
  void replacingRulesUnderLoadFailsNoCheckAndAdmitsNoMoreThanTheLargestLimit() throws Exception {
    var sets =
        List.of(
            rules(perMinute(100)),
            rules(perMinute(150)),
            rules(FixedWindow.of(Rate.perMinute(120))),
            rules(perMinute(150), perMinute(140)));
    var limiter = limiter(ticker, sets.getFirst());
    var done = new AtomicBoolean();
    long admitted = 0;
    try (var threads = Executors.newFixedThreadPool(4)) {
      var replacer =
          threads.submit(() -> {
            for (int i = 0; !done.get(); i++) limiter.replaceRules(sets.get(i % sets.size()));
          });
      var checkers = new ArrayList<Callable<Long>>();
      for (int i = 0; i < 3; i++) checkers.add(() -> admitted(limiter, 2_000));
      for (var result : threads.invokeAll(checkers)) admitted += result.get();
      done.set(true);
      replacer.get();
    }
    assertThat(admitted).isBetween(1L, 150L);
    limiter.replaceRules(sets.get(1));
    assertThat(admitted(limiter, 200) + admitted).isLessThanOrEqualTo(150);
  }

  private static long admitted(RateLimiter limiter, int checks) {
    long admitted = 0;
    for (int i = 0; i < checks; i++) {
      if (limiter.check(ADA).isAllowed()) admitted++;
    }
    return admitted;
  }

  private static RuleSet rules(Limit limit) {
    return RuleSet.of(Rule.named("r").match("key", "*").limit(limit).build());
  }

  private static RuleSet rules(Limit limit, Limit everybody) {
    return RuleSet.of(
        Rule.named("r").match("key", "*").limit(limit).build(),
        Rule.named("everybody").limit(everybody).build());
  }

  private static long remaining(RateLimiter limiter) {
    return limiter.peek(Request.of(ADA, 0)).limits().getFirst().remaining();
  }
}
