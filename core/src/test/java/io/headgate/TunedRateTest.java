package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Tuning;
import io.headgate.load.LoadSignal;
import io.headgate.load.SignalKind;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.BackendLevel;
import io.headgate.store.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TunedRateTest {
  private static final Subject SEARCH = Subject.of("backend", "search");
  private static final TokenBucket BUCKET = TokenBucket.of(Rate.perSecond(1_000)).withBurst(500);
  private static final Tuning TUNING =
      new Tuning(
          Rate.perSecond(100), Rate.perSecond(5_000), SignalKind.LATENCY, 250, Optional.empty());

  private final ManualTicker ticker = new ManualTicker();
  private final List<BackendLevel> changes = new ArrayList<>();
  private final RateLimiter limiter =
      RateLimiter.with(MemoryStore.create(ticker, 10_000), RuleSet.of(rule(TUNING)), ticker);

  private static Rule rule(Tuning tuning) {
    return builder(tuning).build();
  }

  private static Rule.Builder builder(Tuning tuning) {
    return Rule.named("search")
        .match("backend", "*")
        .limit(RuleLimit.of("search", BUCKET).withTuning(tuning));
  }

  @AfterEach
  void close() {
    limiter.close();
  }

  private void report(int seconds, Duration latency) {
    for (int i = 0; i < seconds; i++) {
      limiter.signals().report(SEARCH, LoadSignal.ofLatency(latency));
      ticker.advance(Duration.ofSeconds(1));
    }
    limiter.signals().sync().join();
  }

  /** The capacity, which is half of the rate. */
  private long burst() {
    return limiter.peek(SEARCH).limit().orElseThrow().limit();
  }

  @Test
  void rateIsThatOfTheRuleWithoutASignal() {
    assertThat(burst()).isEqualTo(500);
  }

  @Test
  void lowLatencyRaisesTheRateToTheUpperBound() {
    report(5, Duration.ofMillis(50));
    assertThat(burst()).isEqualTo(2_500);
  }

  @Test
  void highLatencyLowersTheRateSlowlyAndNotBelowTheLowerBound() {
    report(5, Duration.ofMillis(50));
    report(5, Duration.ofMillis(600));
    assertThat(burst()).isBetween(1_500L, 2_500L);
    report(300, Duration.ofMillis(600));
    assertThat(burst()).isBetween(50L, 130L);
  }

  @Test
  void tunedRateIsEnforced() {
    report(300, Duration.ofMillis(600));
    long burst = burst();
    long passed = 0;
    for (int i = 0; i < 1_000; i++) {
      if (limiter.check(SEARCH).isAllowed()) passed++;
    }
    assertThat(passed).isEqualTo(burst);
    ticker.advance(Duration.ofSeconds(1));
    assertThat(limiter.check(Request.of(SEARCH, burst)).isAllowed()).isTrue();
    assertThat(limiter.check(SEARCH).isAllowed()).isFalse();
  }

  @Test
  void changedRateKeepsTheUsageInProportion() {
    report(5, Duration.ofMillis(50));
    assertThat(limiter.check(Request.of(SEARCH, 2_500)).isAllowed()).isTrue();
    ticker.advance(Duration.ofMillis(1));
    report(30, Duration.ofMillis(600));
    var empty = limiter.check(Request.of(SEARCH, burst()));
    assertThat(empty.isAllowed()).isTrue();
    long before = burst();
    limiter.signals().report(SEARCH, LoadSignal.ofLatency(Duration.ofMillis(600)));
    limiter.signals().sync().join();
    assertThat(limiter.peek(SEARCH).limit().orElseThrow().remaining()).isLessThan(before / 10);
  }

  @Test
  void rateReturnsToThatOfTheRuleWhenTheSignalIsStale() {
    report(60, Duration.ofMillis(600));
    assertThat(burst()).isLessThan(500);
    ticker.advance(Duration.ofSeconds(10));
    limiter.signals().sync().join();
    long halfway = burst();
    assertThat(halfway).isLessThan(500);
    ticker.advance(Duration.ofSeconds(10));
    assertThat(burst()).isEqualTo(500);
  }

  @Test
  void pinnedRateDoesNotFollowTheSignal() {
    var pinned =
        new Tuning(
            TUNING.low(), TUNING.high(), TUNING.signal(), 250, Optional.of(Rate.perSecond(2_000)));
    limiter.replaceRules(RuleSet.of(rule(pinned)));
    report(60, Duration.ofMillis(600));
    assertThat(burst()).isEqualTo(1_000);
  }

  @Test
  void switchingItOffRestoresTheRateOfTheRuleAtOnce() {
    report(300, Duration.ofMillis(600));
    assertThat(burst()).isLessThan(200);
    limiter.replaceRules(
        RuleSet.of(Rule.named("search").match("backend", "*").limit(BUCKET).build()));
    assertThat(burst()).isEqualTo(500);
    assertThat(limiter.signals().levels()).isEmpty();
  }

  @Test
  void shadowRuleShowsWhatItWouldDeny() {
    limiter.replaceRules(RuleSet.of(builder(TUNING).mode(Mode.SHADOW).build()));
    report(300, Duration.ofMillis(600));
    int denied = 0;
    for (int i = 0; i < 500; i++) {
      var result = limiter.checkForResult(SEARCH);
      assertThat(result.isAllowed()).isTrue();
      denied += result.shadowDenials().size();
    }
    assertThat(denied).isGreaterThan(300);
  }

  @Test
  void listenerHearsChangesOfATenthWithTheirSignal() {
    limiter.signals().listener(changes::add);
    report(60, Duration.ofMillis(600));
    assertThat(changes).hasSizeBetween(5, 40);
    assertThat(changes.getLast().value()).isEqualTo(500); // twice the target counts at most
    assertThat(changes.getLast().tuned().orElseThrow().rate().permits()).isLessThan(1_000);
  }

  @Test
  void hostileSignalsKeepTheRateWithinItsBounds() {
    for (var millis : new long[] {0, 1, 1_000_000_000L}) {
      report(100, Duration.ofMillis(millis));
      assertThat(burst()).isBetween(50L, 2_500L);
    }
  }

  @Test
  void tuningIsValidated() {
    assertThatThrownBy(
            () -> RuleLimit.of("a", FixedWindow.of(Rate.perSecond(1))).withTuning(TUNING))
        .hasMessageContaining("only the rate of a token bucket");
    assertThatThrownBy(
            () -> RuleLimit.of("a", TokenBucket.of(Rate.perSecond(5))).withTuning(TUNING))
        .hasMessageContaining("between the bounds");
    assertThatThrownBy(() ->
            new Tuning(
                Rate.perSecond(1), Rate.perMinute(100), SignalKind.LATENCY, 1, Optional.empty()))
        .hasMessageContaining("same period");
  }
}
