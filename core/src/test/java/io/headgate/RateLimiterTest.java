package io.headgate;

import static io.headgate.Limiters.limiter;
import static io.headgate.Limiters.perMinute;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision.Allowed;
import io.headgate.Decision.Denied;
import io.headgate.Decision.Impossible;
import io.headgate.rule.Combine;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Schedule;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RateLimiterTest {
  private static final Subject ADA = Subject.of("user:ada");
  private static final Subject BOB = Subject.of("user:bob");

  private final ManualTicker ticker = new ManualTicker();
  private final Rule perUser =
      Rule.named("per-user").match("key", "user:*").limit(perMinute(2)).build();

  @Test
  void denialHasTheRetryTime() {
    var limiter = limiter(ticker, perUser);
    assertThat(limiter.check(ADA)).isEqualTo(new Allowed(1, Duration.ofSeconds(30)));
    assertThat(limiter.check(ADA)).isEqualTo(new Allowed(0, Duration.ofSeconds(60)));
    Decision decision = limiter.check(ADA);
    if (decision instanceof Denied(var retryAfter)) {
      assertThat(retryAfter).isEqualTo(Duration.ofSeconds(30));
    } else {
      throw new AssertionError(decision);
    }
    assertThat(decision.isAllowed()).isFalse();
  }

  @Test
  void retryAfterIsExact() {
    var limiter = limiter(ticker, perUser);
    limiter.check(Request.of(ADA, 2));
    ticker.advance(Duration.ofSeconds(30).minusNanos(1_000));
    assertThat(limiter.check(ADA)).isEqualTo(new Denied(Duration.ofNanos(1_000)));
    ticker.advance(Duration.ofNanos(1_000));
    assertThat(limiter.check(ADA).isAllowed()).isTrue();
  }

  @Test
  void callersHaveSeparateCounters() {
    var limiter = limiter(ticker, perUser);
    limiter.check(Request.of(ADA, 2));
    assertThat(limiter.check(ADA).isAllowed()).isFalse();
    assertThat(limiter.check(BOB).isAllowed()).isTrue();
  }

  @Test
  void requestThatNoRuleMatchesIsAllowed() {
    var limiter = limiter(ticker, perUser);
    var result = limiter.checkForResult(Request.of(Subject.of("robot:1"), Request.MAX_COST));
    assertThat(result.decision()).isEqualTo(new Allowed(Allowed.UNLIMITED, Duration.ZERO));
    assertThat(result.rule()).isEmpty();
    assertThat(result.limit()).isEmpty();
    assertThat(result.limits()).isEmpty();
  }

  @Test
  void costAboveTheCapacityIsImpossible() {
    var limiter = limiter(ticker, perUser);
    assertThat(limiter.check(Request.of(ADA, 3))).isEqualTo(new Impossible(3, 2));
    assertThat(limiter.check(Request.of(ADA, 2)).isAllowed()).isTrue();
  }

  @Test
  void costOfZeroChargesNothing() {
    var limiter = limiter(ticker, perUser);
    assertThat(limiter.check(Request.of(ADA, 0))).isEqualTo(new Allowed(2, Duration.ZERO));
    limiter.check(Request.of(ADA, 2));
    assertThat(limiter.check(Request.of(ADA, 0))).isEqualTo(new Allowed(0, Duration.ofMinutes(1)));
  }

  @Test
  void peekReportsThePresentStateAndChargesNothing() {
    var limiter = limiter(ticker, perUser);
    for (int i = 0; i < 3; i++) {
      assertThat(limiter.peek(ADA).decision()).isEqualTo(new Allowed(2, Duration.ZERO));
    }
    limiter.check(ADA);
    assertThat(limiter.peek(ADA).decision()).isEqualTo(allowed(1, 30));
    assertThat(limiter.peek(Request.of(ADA, 2)).decision())
        .isEqualTo(new Denied(Duration.ofSeconds(30)));
    assertThat(limiter.peek(Request.of(ADA, 3)).decision()).isEqualTo(new Impossible(3, 2));
    limiter.check(ADA);
    assertThat(limiter.peek(ADA).decision()).isEqualTo(new Denied(Duration.ofSeconds(30)));
  }

  /** Of limits that are each other's overflow, one may refuse a request that is allowed. */
  @Test
  void peekReportsWhichLimitsWouldRefuse() {
    var limiter =
        limiter(
            ticker,
            Rule.named("contract")
                .combine(new Combine.Any())
                .limit(RuleLimit.of("small", perMinute(2)))
                .limit(RuleLimit.of("large", perMinute(5)))
                .build());
    var peeked = limiter.peek(Request.of(ADA, 3));
    assertThat(peeked.isAllowed()).isTrue();
    assertThat(peeked.limits().stream().map(LimitReport::remaining)).containsExactly(2L, 5L);
    assertThat(peeked.limits().stream().map(LimitReport::violated)).containsExactly(true, false);
    assertThat(peeked.rule().map(Rule::id)).contains("contract");
  }

  @Test
  void peekOfARequestThatNoRuleMatchesIsUnlimited() {
    var limiter = limiter(ticker, perUser);
    assertThat(limiter.peek(Subject.of("robot:1")).decision())
        .isEqualTo(new Allowed(Allowed.UNLIMITED, Duration.ZERO));
  }

  @Test
  void namedCostsAreChargedToTheLimitsThatNameThem() {
    var limiter =
        limiter(
            ticker,
            Rule.named("contract")
                .limit(RuleLimit.of("calls", perMinute(10)))
                .limit(RuleLimit.of("bytes", perMinute(1_000)).withCost("bytes"))
                .build());
    var upload = new Request(ADA, 1, Map.of("bytes", 600L));
    assertThat(limiter.checkForResult(upload).limits().stream().map(LimitReport::remaining))
        .containsExactly(9L, 400L);
    var result = limiter.checkForResult(upload);
    assertThat(result.decision()).isEqualTo(new Denied(Duration.ofSeconds(12)));
    assertThat(result.violated()).containsExactly("contract/bytes");
    assertThat(limiter.check(ADA)).as("without bytes").isEqualTo(allowed(8, 12));
  }

  @Test
  void checkAsyncDecidesAsCheckDoes() {
    var limiter = limiter(ticker, perUser);
    assertThat(limiter.checkAsync(ADA)).isCompletedWithValue(allowed(1, 30));
    assertThat(limiter.checkForResultAsync(Request.of(ADA, 2)))
        .isCompletedWithValueMatching(result -> !result.isAllowed());
    assertThat(limiter.check(ADA)).isEqualTo(allowed(0, 60));
  }

  @Test
  void aSubjectAloneIsARequestOfCostOne() throws Exception {
    var limiter =
        limiter(ticker, Rule.named("per-user").match("key", "user:*").limit(perMinute(9)).build());
    limiter.check(ADA);
    limiter.checkAsync(ADA);
    limiter.checkForResult(ADA);
    limiter.checkForResultAsync(ADA);
    limiter.await(ADA);
    limiter.acquire(ADA).close();
    limiter.peek(ADA);
    assertThat(limiter.check(Request.of(ADA, 0))).isEqualTo(allowed(3, 40));
  }

  @Test
  void resetClearsOneCallerUnderOneRule() {
    var limiter = limiter(ticker, perUser, Rule.named("everybody").limit(perMinute(100)).build());
    limiter.check(Request.of(ADA, 2));
    limiter.check(Request.of(BOB, 2));

    assertThat(limiter.reset(ADA, "per-user")).isTrue();

    assertThat(remaining(limiter, ADA)).containsExactly(2L, 96L);
    assertThat(remaining(limiter, BOB)).containsExactly(0L, 96L);
  }

  @Test
  void resetReturnsWhetherTheRuleApplies() {
    var limiter = limiter(ticker, perUser);
    assertThat(limiter.reset(Subject.of("robot:1"), "per-user")).isFalse();
    assertThat(limiter.reset(ADA, "no-such-rule")).isFalse();
    assertThat(limiter.reset(ADA, "per-user")).as("though it never came").isTrue();
  }

  @Test
  void schedulesFollowTheLimitersClock() {
    var nights =
        new Schedule(
            Schedule.ALWAYS.days(),
            Optional.of(new Schedule.Hours(LocalTime.of(22, 0), LocalTime.of(6, 0))),
            ZoneOffset.UTC,
            Optional.empty(),
            Optional.empty());
    var limiter =
        limiter(
            ticker,
            Rule.named("nights").limit(perMinute(1)).active(nights).build(),
            Rule.named("days").fallback().limit(perMinute(5)).build());
    assertThat(rule(limiter)).isEqualTo("nights"); // it is midnight
    ticker.advance(Duration.ofHours(6));
    assertThat(rule(limiter)).isEqualTo("days");
    ticker.advance(Duration.ofHours(16));
    assertThat(rule(limiter)).isEqualTo("nights");
  }

  @Test
  void neverAdmitsMoreThanTheLimitUnderConcurrency() {
    var limiter =
        limiter(
            ticker,
            Rule.named("a").limit(perMinute(100)).build(),
            Rule.named("b").limit(perMinute(70)).build());
    long admitted =
        IntStream.range(0, 1_000).parallel().filter(i -> limiter.check(ADA).isAllowed()).count();
    assertThat(admitted).isEqualTo(70);
    assertThat(remaining(limiter, ADA)).containsExactly(30L, 0L);
  }

  @Test
  void limiterIsCreatedFromRulesWithOrWithoutAStore() {
    try (var one = RateLimiter.inMemory(perUser);
        var many = RateLimiter.inMemory(List.of(perUser));
        var set = RateLimiter.inMemory(RuleSet.of(perUser));
        var store = RateLimiter.with(MemoryStore.create(), List.of(perUser))) {
      for (var limiter : List.of(one, many, set, store)) {
        assertThat(limiter.check(Request.of(ADA, 2)).isAllowed()).isTrue();
        assertThat(limiter.check(Request.of(ADA, 2)).isAllowed()).isFalse();
        assertThat(limiter.rules().rules()).containsExactly(perUser);
        assertThat(limiter.store().trackedKeys()).isEqualTo(1);
      }
    }
  }

  private static Allowed allowed(long remaining, long resetSeconds) {
    return new Allowed(remaining, Duration.ofSeconds(resetSeconds));
  }

  private static List<Long> remaining(RateLimiter limiter, Subject subject) {
    var reports = limiter.peek(Request.of(subject, 0)).limits();
    return reports.stream().map(LimitReport::remaining).toList();
  }

  private static String rule(RateLimiter limiter) {
    return limiter.peek(ADA).rule().map(Rule::id).orElse("none");
  }
}
