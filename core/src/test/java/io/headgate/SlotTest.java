package io.headgate;

import static io.headgate.Limiters.limiter;
import static io.headgate.Limiters.perMinute;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision.Denied;
import io.headgate.limit.Concurrency;
import io.headgate.rule.Combine;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotTest {
  private static final Subject ADA = Subject.of("user:ada");
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final ManualTicker ticker = new ManualTicker();
  private final Rule uploads = Rule.named("uploads").match("key", "user:*").limit(slots(2)).build();

  @Test
  void aSlotIsHeldUntilItIsClosed() {
    var limiter = limiter(ticker, uploads);
    try (var first = limiter.acquire(ADA);
        var second = limiter.acquire(ADA)) {
      assertThat(first.isAllowed()).isTrue();
      assertThat(second.id()).isPresent().isNotEqualTo(first.id());
      try (var third = limiter.acquire(ADA)) {
        assertThat(third.decision()).isEqualTo(new Denied(LEASE));
        assertThat(third.id()).isEmpty();
        assertThat(third.renew()).isFalse();
      }
      assertThat(free(limiter)).containsExactly(0L);
    }
    assertThat(free(limiter)).containsExactly(2L);
  }

  @Test
  void closingTwiceGivesBackOnce() {
    var limiter = limiter(ticker, uploads);
    var lease = limiter.acquire(ADA);
    limiter.acquire(ADA);
    lease.close();
    lease.close();
    assertThat(free(limiter)).containsExactly(1L);
  }

  @Test
  void anAbandonedSlotComesBackWhenItsLeaseEnds() {
    var limiter = limiter(ticker, uploads);
    var lease = limiter.acquire(ADA);
    ticker.advance(LEASE.minusNanos(1_000));
    assertThat(free(limiter)).containsExactly(1L);
    ticker.advance(Duration.ofNanos(1_000));
    assertThat(free(limiter)).containsExactly(2L);
    assertThat(lease.renew()).as("an ended lease stays ended").isFalse();
    assertThat(free(limiter)).containsExactly(2L);
  }

  @Test
  void aRenewedLeaseLastsAFullLengthFromNow() {
    var limiter = limiter(ticker, uploads);
    var lease = limiter.acquire(ADA);
    ticker.advance(Duration.ofSeconds(20));
    assertThat(lease.renew()).isTrue();
    ticker.advance(LEASE.minusNanos(1_000));
    assertThat(free(limiter)).containsExactly(1L);
    ticker.advance(Duration.ofNanos(1_000));
    assertThat(free(limiter)).containsExactly(2L);
  }

  @Test
  void aCostOfSeveralTakesAndGivesBackSeveral() {
    var limiter = limiter(ticker, uploads);
    var lease = limiter.acquire(Request.of(ADA, 2));
    assertThat(free(limiter)).containsExactly(0L);
    lease.close();
    assertThat(free(limiter)).containsExactly(2L);
  }

  @Test
  void anyInstanceActsOnTheIdOfALease() {
    var store = MemoryStore.create(ticker, 100);
    var here = RateLimiter.with(store, RuleSet.of(uploads), ticker);
    var there = RateLimiter.with(store, RuleSet.of(uploads), ticker);
    var id = here.acquire(ADA).id().orElseThrow();
    assertThat(there.renew(id)).isTrue();
    assertThat(there.release(id)).isTrue();
    assertThat(here.release(id)).as("already released").isFalse();
    assertThat(free(here)).containsExactly(2L);
  }

  @Test
  void oneLeaseHoldsTheSlotsOfEveryRule() {
    var limiter =
        limiter(
            ticker,
            uploads,
            Rule.named("everybody").limit(slots(5)).build(),
            Rule.named("calls").limit(perMinute(9)).build());
    var lease = limiter.acquire(ADA);
    assertThat(free(limiter)).containsExactly(1L, 4L, 8L);
    assertThat(lease.renew()).isTrue();
    lease.close();
    assertThat(free(limiter)).containsExactly(2L, 5L, 8L);
  }

  @Test
  void whereAnyLimitWillDoALeaseHoldsOnlyTheSlotItTook() {
    var limiter =
        limiter(
            ticker,
            Rule.named("pools")
                .combine(new Combine.Any())
                .limit(RuleLimit.of("own", slots(1)))
                .limit(RuleLimit.of("overflow", slots(1)))
                .build());
    var own = limiter.acquire(ADA);
    var overflow = limiter.acquire(ADA);
    assertThat(free(limiter)).containsExactly(0L, 0L);
    assertThat(own.renew()).isTrue();
    assertThat(overflow.renew()).isTrue();
    own.close();
    assertThat(free(limiter)).containsExactly(1L, 0L);
    assertThat(overflow.renew()).isTrue();
  }

  @Test
  void aShadowRuleThatHadNoSlotDoesNotEndTheLease() {
    var limiter =
        limiter(ticker, uploads, Rule.named("shadow").mode(Mode.SHADOW).limit(slots(1)).build());
    limiter.acquire(ADA);
    var lease = limiter.acquire(ADA);
    assertThat(free(limiter)).containsExactly(0L, 0L);
    assertThat(lease.renew()).isTrue();
    lease.close();
    assertThat(free(limiter)).containsExactly(1L, 0L);
  }

  @Test
  void whatTakesNoSlotHasNoLease() {
    var limiter = limiter(ticker, uploads, Rule.named("calls").limit(perMinute(9)).build());
    assertThat(limiter.peek(Request.of(ADA)).slotId()).isEmpty();
    assertThat(limiter.checkForResult(Request.of(ADA, 0)).slotId()).isEmpty();
    assertThat(limiter.checkForResult(Request.of(Subject.of("robot:1"))).slotId()).isEmpty();
    assertThat(limiter.checkForResult(Request.of(ADA)).slotId()).isPresent();
  }

  @Test
  void anOverridesLeaseIsRenewedAndReleasedAsLongAsTheOverrideSays() {
    var limiter =
        limiter(
            ticker,
            Rule.named("uploads")
                .match("key", "user:*")
                .limit(slots(1))
                .override("key", "user:bob", slots(1))
                .override("key", "user:ada", new Concurrency(3, Duration.ofHours(1)))
                .build());
    var lease = limiter.acquire(ADA);
    ticker.advance(Duration.ofMinutes(59));
    assertThat(lease.renew()).isTrue();
    ticker.advance(Duration.ofMinutes(59));
    assertThat(free(limiter)).containsExactly(2L);
    lease.close();
    assertThat(free(limiter)).containsExactly(3L);
  }

  @Test
  void aLeaseOutlivesAnOverrideThatIsTakenAway() {
    var limiter =
        limiter(
            ticker,
            Rule.named("uploads")
                .match("key", "user:*")
                .limit(slots(2))
                .override("key", "user:ada", slots(3))
                .build());
    var lease = limiter.acquire(ADA);
    limiter.replaceRules(RuleSet.of(uploads));
    assertThat(free(limiter)).containsExactly(1L);
    assertThat(lease.renew()).isTrue();
    lease.close();
    assertThat(free(limiter)).containsExactly(2L);
  }

  @Test
  void aLeaseUnderARuleThatIsGoneHasEnded() {
    var limiter = limiter(ticker, uploads);
    var lease = limiter.acquire(ADA);
    limiter.replaceRules(RuleSet.of());
    assertThat(lease.renew()).isFalse();
    assertThat(limiter.release(lease.id().orElseThrow())).isFalse();
    lease.close();
  }

  @Test
  void aResetEndsTheLeases() {
    var limiter = limiter(ticker, uploads);
    var lease = limiter.acquire(ADA);
    limiter.reset(ADA, "uploads");
    assertThat(free(limiter)).containsExactly(2L);
    assertThat(lease.renew()).isFalse();
  }

  private static Concurrency slots(long max) {
    return new Concurrency(max, LEASE);
  }

  private static List<Long> free(RateLimiter limiter) {
    var reports = limiter.peek(Request.of(ADA, 0)).limits();
    return reports.stream().map(LimitReport::remaining).toList();
  }
}
