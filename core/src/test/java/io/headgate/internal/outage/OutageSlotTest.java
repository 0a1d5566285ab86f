package io.headgate.internal.outage;

import static io.headgate.internal.outage.TestPlans.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.RateLimiter;
import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.FailurePolicy.Allow;
import io.headgate.rule.FailurePolicy.Local;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.OutageListener;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the operations that no failure policy can replace: slots and resets. */
class OutageSlotTest {
  private static final RuleSet RULES =
      RuleSet.of(
          Rule.named("r").per("key").onStoreFailure(new Local()).limit(Concurrency.of(2)).build());

  private final AtomicLong clock = new AtomicLong(START);
  private final FaultyStore remote = new FaultyStore(clock::get);
  private final CircuitBreakingStore store =
      TestStores.around(remote, remote::probe, () -> 2, OutageListener.NONE, clock::get, 1_000);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void localSlotIsRenewedAndReleasedLocally() {
    remote.fail(Kind.CONNECTION);
    assertThat(TestPlans.passes(store, plan(1))).isTrue();
    assertThat(TestPlans.passes(store, plan(2))).isFalse();
    clock.addAndGet(20_000_000);
    assertThat(store.renew(charge(1))).isTrue();
    clock.addAndGet(20_000_000);
    assertThat(TestPlans.passes(store, plan(2))).isFalse();
    assertThat(store.release(charge(1))).isTrue();
    assertThat(TestPlans.passes(store, plan(2))).isTrue();
  }

  @Test
  void localSlotIsReleasedLocallyAfterTheOutage() {
    remote.fail(Kind.CONNECTION);
    store.decide(plan(1));
    recover();
    int before = remote.requests();
    assertThat(store.release(charge(1))).isTrue();
    assertThat(remote.requests()).isEqualTo(before);
    assertThat(store.release(charge(1))).isFalse();
    assertThat(remote.requests()).isEqualTo(before + 1);
  }

  /** The local share learns from calls that it admitted, the store from the others. */
  @Test
  void callIsReportedWhereItsSlotWasAcquired() {
    var limit = new AdaptiveConcurrency(2, 80, 40, Duration.ofSeconds(30));
    var rules =
        RuleSet.of(Rule.named("r").per("key").onStoreFailure(new Local()).limit(limit).build());
    var dropped = new CompletedCall(CallOutcome.DROPPED, 1_000);
    remote.fail(Kind.CONNECTION);
    for (int holder = 1; holder <= 1_000; holder++) {
      var plan = rules.plan(Request.of(Subject.of("k")), 0, holder);
      store.decide(plan);
      clock.addAndGet(10_000);
      assertThat(store.release(plan.charges().getFirst(), dropped)).isTrue();
    }
    var look = rules.plan(Request.of(Subject.of("k"), 0), 0, 0);
    assertThat(store.peek(look).first().limit()).as("at most 40 of 80").isLessThan(20);
    recover();
    assertThat(store.peek(look).first().limit()).isEqualTo(40);
    var plan = rules.plan(Request.of(Subject.of("k")), 0, 2_000);
    store.decide(plan);
    int before = remote.requests();
    assertThat(store.release(plan.charges().getFirst(), dropped)).isTrue();
    assertThat(remote.requests()).isEqualTo(before + 1);
  }

  @Test
  void slotOfTheStoreIsReleasedInTheStore() {
    store.decide(plan(1));
    assertThat(store.renew(charge(1))).isTrue();
    assertThat(store.release(charge(1))).isTrue();
    assertThat(store.release(charge(1))).isFalse();
  }

  @Test
  void releasingASlotOfAnUnavailableStoreFails() {
    store.decide(plan(1));
    remote.fail(Kind.CONNECTION);
    assertThatThrownBy(() -> store.release(charge(1))).isInstanceOf(StoreException.class);
    int before = remote.requests();
    assertThatThrownBy(() -> store.release(charge(1)))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONNECTION))
        .hasMessage(
            "could not release a slot of r: the store is unavailable; try again when it is"
                + " available");
    assertThatThrownBy(() -> store.renew(charge(1))).isInstanceOf(StoreException.class);
    assertThat(remote.requests()).isEqualTo(before);
    recover();
    assertThat(store.release(charge(1))).isTrue();
  }

  @Test
  void closingAnUnreleasableSlotThrowsNothingAndItExpires() {
    var limiter = RateLimiter.with(store, RULES, clock::get);
    try (var slot = limiter.acquire(Subject.of("x"))) {
      assertThat(slot.isAllowed()).isTrue();
      remote.fail(Kind.CONNECTION);
    }
    recover();
    assertThat(limiter.acquire(Subject.of("x")).isAllowed()).isTrue();
    assertThat(limiter.acquire(Subject.of("x")).isAllowed()).isFalse();
    clock.addAndGet(30_000_000);
    assertThat(limiter.acquire(Subject.of("x")).isAllowed()).isTrue();
  }

  @Test
  void slotGrantedByTheFallbackIsClosedWithoutTheStore() {
    var allowing =
        Rule.named("r").per("key").onStoreFailure(new Allow()).limit(Concurrency.of(2)).build();
    var limiter = RateLimiter.with(store, RuleSet.of(allowing), clock::get);
    remote.fail(Kind.CONNECTION);
    var slot = limiter.acquire(Subject.of("x"));
    assertThat(slot.result().source()).isEqualTo(Source.FALLBACK);
    assertThat(slot.isAllowed()).isTrue();
    slot.close();
    var id = slot.id().orElseThrow();
    assertThatThrownBy(() -> limiter.release(id)).isInstanceOf(StoreException.class);
  }

  @Test
  void localSlotsAreReleasedAlthoughOthersCanNotBe() {
    var remoteOnly = Rule.named("a").per("key").limit(Concurrency.of(9)).build();
    var both = RuleSet.of(remoteOnly, RULES.rules().getFirst());
    var limiter = RateLimiter.with(store, both, clock::get);
    remote.fail(Kind.CONNECTION);
    var slot = limiter.acquire(Subject.of("x"));
    assertThat(limiter.acquire(Subject.of("x")).isAllowed()).isFalse();
    slot.close();
    assertThat(limiter.acquire(Subject.of("x")).isAllowed()).isTrue();
  }

  @Test
  void resetRemovesLocalAndRemoteState() {
    store.decide(plan(1));
    store.decide(plan(2));
    remote.fail(Kind.CONNECTION);
    store.decide(plan(3));
    assertThatThrownBy(() -> store.reset(charge(0).counter(), "x"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("could not reset r");
    assertThat(TestPlans.passes(store, plan(4))).isTrue(); // the local state is removed
    recover();
    assertThat(TestPlans.passes(store, plan(5))).isFalse(); // the state of the store is not
    store.reset(charge(0).counter(), "x");
    assertThat(TestPlans.passes(store, plan(5))).isTrue();
  }

  @Test
  void unexpectedExceptionBecomesAStoreException() {
    remote.fail(() -> new IllegalStateException("odd"));
    assertThatThrownBy(() -> store.release(charge(1)))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.OTHER))
        .hasMessageContaining("odd");
  }

  @Test
  void trackedKeysAreLocalDuringAnOutage() {
    store.decide(plan(1));
    assertThat(store.trackedKeys()).isEqualTo(1);
    remote.fail(Kind.CONNECTION);
    assertThat(store.trackedKeys()).isZero();
    assertThat(store.isUnavailable()).isTrue();
    assertThat(store.trackedKeys()).isZero();
  }

  private void recover() {
    remote.heal();
    await().atMost(Duration.ofMinutes(1)).until(() -> !store.isUnavailable());
  }

  private static Plan plan(long holder) {
    return RULES.plan(Request.of(Subject.of("x")), 0, holder);
  }

  private static Charge charge(long holder) {
    return plan(holder).charges().getFirst();
  }
}
