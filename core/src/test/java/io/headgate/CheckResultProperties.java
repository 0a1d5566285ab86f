package io.headgate;

import static io.headgate.Limiters.limiter;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision.Allowed;
import io.headgate.Decision.Delayed;
import io.headgate.Decision.Denied;
import io.headgate.Decision.Impossible;
import io.headgate.rule.Mode;
import io.headgate.rule.RandomRules;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Checks the results of random rules over random histories for consistency. */
class CheckResultProperties {
  private static final Duration INSTANT = Duration.ofNanos(1_000);

  record Arrival(long millisLater, Request request) {}

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void decisionsAreConsistentAndRetryTimesAreExact(
      @ForAll("rules") List<Rule> rules, @ForAll("arrivals") List<Arrival> arrivals) {
    var ticker = new ManualTicker();
    var limiter = limiter(ticker, RuleSet.of(rules));
    for (var arrival : arrivals) {
      ticker.advance(Duration.ofMillis(arrival.millisLater));
      var present = limiter.peek(Request.of(arrival.request.subject(), 0));
      var peeked = limiter.peek(arrival.request);
      var result = limiter.checkForResult(arrival.request);
      assertPeekAgrees(peeked, present, result);
      assertConsistent(result);
      switch (result.decision()) {
        case Allowed allowed -> {}
        case Delayed delayed -> assertThat(delayed.delay()).isPositive();
        case Denied(var retryAfter) ->
            assertRetryTimeIsExact(limiter, ticker, arrival.request, retryAfter);
        case Impossible(var cost, var capacity) -> assertThat(cost).isGreaterThan(capacity);
      }
    }
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void remainingIsTheHighestCostThatWouldPassNow(
      @ForAll("rules") List<Rule> rules, @ForAll("arrivals") List<Arrival> arrivals) {
    var ticker = new ManualTicker();
    var limiter = limiter(ticker, RuleSet.of(rules));
    for (var arrival : arrivals) {
      ticker.advance(Duration.ofMillis(arrival.millisLater));
      limiter.check(arrival.request);
    }
    if (limiter.check(costing(0)) instanceof Allowed(var remaining, var resetAfter)
        && remaining < Allowed.UNLIMITED) {
      assertThat(limiter.peek(costing(remaining)).isAllowed()).isTrue();
      assertThat(limiter.peek(costing(remaining + 1)).isAllowed()).isFalse();
    }
  }

  /** A check has a fast path for plans of one limit. */
  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void checkDecidesAsCheckForResultDoes(
      @ForAll("rules") List<Rule> rules, @ForAll("arrivals") List<Arrival> arrivals) {
    var ticker = new ManualTicker();
    var checking = limiter(ticker, RuleSet.of(rules));
    var deciding = limiter(ticker, RuleSet.of(rules));
    for (var arrival : arrivals) {
      ticker.advance(Duration.ofMillis(arrival.millisLater));
      assertThat(checking.check(arrival.request))
          .isEqualTo(deciding.checkForResult(arrival.request).decision());
    }
  }

  /**
   * A peek has the decision of the check after it and the state before it.
   *
   * @param present a peek at zero cost
   */
  private static void assertPeekAgrees(
      CheckResult peeked, CheckResult present, CheckResult result) {
    assertThat(peeked.isAllowed()).isEqualTo(result.isAllowed());
    assertThat(peeked.delay()).isEqualTo(result.delay());
    assertThat(peeked.violated()).isEqualTo(result.violated());
    assertThat(peeked.shadowViolated()).isEqualTo(result.shadowViolated());
    if (!result.isAllowed()) assertThat(peeked.decision()).isEqualTo(result.decision());
    for (int i = 0; i < peeked.limits().size(); i++) {
      var report = peeked.limits().get(i);
      assertThat(report.violated()).isEqualTo(result.limits().get(i).violated());
      assertThat(report.remaining()).isEqualTo(present.limits().get(i).remaining());
      assertThat(report.resetAfter()).isEqualTo(present.limits().get(i).resetAfter());
    }
  }

  private static Request costing(long cost) {
    return new Request(Subject.of("x"), cost, Map.of("bytes", cost));
  }

  /** Advances the clock to the retry time, and checks just before it and at it. */
  private static void assertRetryTimeIsExact(
      RateLimiter limiter, ManualTicker ticker, Request request, Duration retryAfter) {
    assertThat(retryAfter).isPositive();
    ticker.advance(retryAfter.minus(INSTANT));
    assertThat(limiter.peek(request).decision()).isEqualTo(new Denied(INSTANT));
    ticker.advance(INSTANT);
    assertThat(limiter.peek(request).isAllowed()).as("at the retry time").isTrue();
  }

  private static void assertConsistent(CheckResult result) {
    boolean allowed = result.decision().isAllowed();
    assertThat(result.isAllowed()).isEqualTo(allowed);
    assertThat(result.violated().isEmpty()).isEqualTo(allowed);
    var refused =
        result.limits().stream().filter(LimitReport::violated).map(LimitReport::policy).toList();
    assertThat(refused).containsAll(result.violated()).containsAll(result.shadowViolated());
    result.rule().ifPresent(rule -> assertThat(rule.mode()).isEqualTo(Mode.ENFORCE));
    if (!allowed) {
      var limit = result.limit().orElseThrow();
      assertThat(result.violated()).contains(limit.policy());
      assertThat(result.rule().orElseThrow().id()).isEqualTo(limit.rule());
      assertThat(result.slotId()).isEmpty();
    }
  }

  @Provide
  Arbitrary<List<Rule>> rules() {
    return RandomRules.rules();
  }

  @Provide
  Arbitrary<List<Arrival>> arrivals() {
    return Combinators.combine(
            Arbitraries.oneOf(Arbitraries.just(0L), Arbitraries.longs().between(0, 3_000)),
            RandomRules.requests())
        .as(Arrival::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(20);
  }
}
