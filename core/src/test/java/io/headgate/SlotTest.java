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
  void slotIsHeldUntilItIsClosed() {
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
  void closeIsIdempotent() {
    var limiter = limiter(ticker, uploads);
    var slot = limiter.acquire(ADA);
    limiter.acquire(ADA);
    slot.close();
    slot.close();
    assertThat(free(limiter)).containsExactly(1L);
  }

  @Test
  void abandonedSlotExpires() {
    var limiter = limiter(ticker, uploads);
    var slot = limiter.acquire(ADA);
    ticker.advance(LEASE.minusNanos(1_000));
    assertThat(free(limiter)).containsExactly(1L);
    ticker.advance(Duration.ofNanos(1_000));
    assertThat(free(limiter)).containsExactly(2L);
    assertThat(slot.renew()).as("an expired slot stays expired").isFalse();
    assertThat(free(limiter)).containsExactly(2L);
  }

  @Test
  void renewedSlotExpiresAFullLeaseLater() {
    var limiter = limiter(ticker, uploads);
    var slot = limiter.acquire(ADA);
    ticker.advance(Duration.ofSeconds(20));
    assertThat(slot.renew()).isTrue();
    ticker.advance(LEASE.minusNanos(1_000));
    assertThat(free(limiter)).containsExactly(1L);
    ticker.advance(Duration.ofNanos(1_000));
    assertThat(free(limiter)).containsExactly(2L);
  }

  @Test
  void higherCostAcquiresAndReleasesSeveralSlots() {
    var limiter = limiter(ticker, uploads);
    var slot = limiter.acquire(Request.of(ADA, 2));
    assertThat(free(limiter)).containsExactly(0L);
    slot.close();
    assertThat(free(limiter)).containsExactly(2L);
  }

  @Test
  void anyInstanceCanRenewAndReleaseASlotById() {
    var store = MemoryStore.create(ticker, 100);
    var first = RateLimiter.with(store, RuleSet.of(uploads), ticker);
    var second = RateLimiter.with(store, RuleSet.of(uploads), ticker);
    var id = first.acquire(ADA).id().orElseThrow();
    assertThat(second.renew(id)).isTrue();
    assertThat(second.release(id)).isTrue();
    assertThat(first.release(id)).as("already released").isFalse();
    assertThat(free(first)).containsExactly(2L);
  }

  @Test
  void oneIdCoversTheSlotsOfEveryRule() {
    var limiter =
        limiter(
            ticker,
            uploads,
            Rule.named("everybody").limit(slots(5)).build(),
            Rule.named("calls").limit(perMinute(9)).build());
    var slot = limiter.acquire(ADA);
    assertThat(free(limiter)).containsExactly(1L, 4L, 8L);
    assertThat(slot.renew()).isTrue();
    slot.close();
    assertThat(free(limiter)).containsExactly(2L, 5L, 8L);
  }

  @Test
  void anyHoldsOnlyTheSlotThatWasAcquired() {
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
  void fullShadowRuleDoesNotPreventRenewal() {
    var limiter =
        limiter(ticker, uploads, Rule.named("shadow").mode(Mode.SHADOW).limit(slots(1)).build());
    limiter.acquire(ADA);
    var slot = limiter.acquire(ADA);
    assertThat(free(limiter)).containsExactly(0L, 0L);
    assertThat(slot.renew()).isTrue();
    slot.close();
    assertThat(free(limiter)).containsExactly(1L, 0L);
  }

  @Test
  void requestWithoutASlotHasNoSlotId() {
    var limiter = limiter(ticker, uploads, Rule.named("calls").limit(perMinute(9)).build());
    assertThat(limiter.peek(ADA).slotId()).isEmpty();
    assertThat(limiter.checkForResult(Request.of(ADA, 0)).slotId()).isEmpty();
    assertThat(limiter.checkForResult(Subject.of("robot:1")).slotId()).isEmpty();
    assertThat(limiter.checkForResult(ADA).slotId()).isPresent();
  }

  @Test
  void slotOfAnOverrideUsesTheOverridesLease() {
    var limiter =
        limiter(
            ticker,
            Rule.named("uploads")
                .match("key", "user:*")
                .limit(slots(1))
                .override("key", "user:bob", slots(1))
                .override("key", "user:ada", Concurrency.of(3).withLease(Duration.ofHours(1)))
                .build());
    var slot = limiter.acquire(ADA);
    ticker.advance(Duration.ofMinutes(59));
    assertThat(slot.renew()).isTrue();
    ticker.advance(Duration.ofMinutes(59));
    assertThat(free(limiter)).containsExactly(2L);
    slot.close();
    assertThat(free(limiter)).containsExactly(3L);
  }

  @Test
  void slotOutlivesARemovedOverride() {
    var limiter =
        limiter(
            ticker,
            Rule.named("uploads")
                .match("key", "user:*")
                .limit(slots(2))
                .override("key", "user:ada", slots(3))
                .build());
    var slot = limiter.acquire(ADA);
    limiter.replaceRules(RuleSet.of(uploads));
    assertThat(free(limiter)).containsExactly(1L);
    assertThat(slot.renew()).isTrue();
    slot.close();
    assertThat(free(limiter)).containsExactly(2L);
  }

  @Test
  void slotOfARemovedRuleHasExpired() {
    var limiter = limiter(ticker, uploads);
    var slot = limiter.acquire(ADA);
    limiter.replaceRules(RuleSet.of());
    assertThat(slot.renew()).isFalse();
    assertThat(limiter.release(slot.id().orElseThrow())).isFalse();
    slot.close();
  }

  @Test
  void resetReleasesTheSlots() {
    var limiter = limiter(ticker, uploads);
    var slot = limiter.acquire(ADA);
    limiter.reset(ADA, "uploads");
    assertThat(free(limiter)).containsExactly(2L);
    assertThat(slot.renew()).isFalse();
  }

  private static Concurrency slots(long max) {
    return Concurrency.of(max).withLease(LEASE);
  }

  private static List<Long> free(RateLimiter limiter) {
    var reports = limiter.peek(Request.of(ADA, 0)).limits();
    return reports.stream().map(LimitReport::remaining).toList();
  }
}
