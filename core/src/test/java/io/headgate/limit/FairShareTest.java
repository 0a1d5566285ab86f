package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Refused;
import java.time.Duration;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FairShareTest {
  private static final long SECOND = 1_000_000;
  private static final long START = 1_800_000_000L * SECOND;

  @Test
  void loudTenantGetsWhatNineQuietOnesLeaveAndDeniesNoneOfThem() {
    var run = new FairRun(FairRun.limit(Rate.perSecond(1_000), 1_000));
    int loud = 0;
    int[] quiet = new int[10];
    for (long now = 0; now < 20 * SECOND; now += 200) {
      if (run.check(START + now, 1, FairRun.tenant(0, 1)) && now >= 10 * SECOND) loud++;
      int tenant = 1 + (int) (now / 200 % 9);
      if (now / 200 % 90 != tenant - 1) continue; // each 55 times a second
      assertThat(run.check(START + now, 1, FairRun.tenant(tenant, 1))).isTrue();
      if (now >= 10 * SECOND) quiet[tenant]++;
    }
    int lent = 0;
    for (int one : quiet) lent += one;
    assertThat(loud + lent).isBetween(9_985, 10_015);
    assertThat(lent).isBetween(4_990, 5_005);
  }

  @Test
  void weightsDivideTheRate() {
    var run = new FairRun(FairRun.limit(Rate.perSecond(800), 800));
    int[] weights = {5, 2, 1};
    int[] admitted = new int[3];
    for (long now = 0; now < 20 * SECOND; now += 400) {
      for (int i = 0; i < 3; i++) {
        boolean passed = run.check(START + now, 1, FairRun.tenant(i, weights[i]));
        if (passed && now >= 10 * SECOND) admitted[i]++;
      }
    }
    assertThat(admitted[0]).isBetween(4_998, 5_002);
    assertThat(admitted[1]).isBetween(1_998, 2_002);
    assertThat(admitted[2]).isBetween(998, 1_002);
  }

  @Test
  void returningTenantPassesAtOnceAndHasItsShareWithinASecond() {
    var run = new FairRun(FairRun.limit(Rate.perSecond(1_000), 1_000));
    long now = START;
    for (int i = 0; i < 50_000; i++, now += 100) run.check(now, 1, FairRun.tenant(0, 1));
    assertThat(run.check(now, 1, FairRun.tenant(1, 1))).isTrue();
    int returned = 0;
    for (int i = 0; i < 10_000; i++, now += 100) {
      run.check(now, 1, FairRun.tenant(0, 1));
      if (run.check(now, 1, FairRun.tenant(1, 1))) returned++;
    }
    assertThat(returned).isGreaterThanOrEqualTo(500);
  }

  @Test
  void tenantsJoiningAtAFullBucketAreServedWhileTheEarlierOnesRepay() {
    var run = new FairRun(FairRun.limit(Rate.perSecond(100), 100));
    long now = START;
    for (int i = 0; i < 200; i++) run.check(now, 1, FairRun.tenant(0, 1));
    for (int i = 1; i < 200; i++) {
      boolean passes = true;
      while (passes) passes = run.check(now, 1, FairRun.tenant(i, 1));
    }
    // The burst is used up, and there are more tenants than permits in it.
    int[] admitted = new int[200];
    for (; now < START + 20 * SECOND; now += 10_000) {
      for (int i = 0; i < 200; i++) if (run.check(now, 1, FairRun.tenant(i, 1))) admitted[i]++;
    }
    int sum = 0;
    for (int one : admitted) sum += one;
    assertThat(sum).isBetween(1_990, 2_001);
  }

  @Test
  void costAboveTheShareNeedsATenantWithoutDebt() {
    var run = new FairRun(FairRun.limit(Rate.perSecond(100), 100));
    run.check(START, 1, FairRun.tenant(0, 1));
    run.check(START, 1, FairRun.tenant(1, 1));
    long later = START + SECOND / 2;
    assertThat(run.check(later, 60, FairRun.tenant(0, 1))).isTrue();
    assertThat(run.check(later, 1, FairRun.tenant(0, 1))).isFalse();
    assertThat(((Refused) run.last()).retryAfter()).isBetween(270_000L, 280_000L);
    assertThat(run.check(later, 33, FairRun.tenant(1, 1))).isTrue();
  }

  @Test
  void costAboveTheBurstNeverPasses() {
    var run = new FairRun(FairRun.limit(Rate.perSecond(100), 100));
    assertThat(run.check(START, 101, FairRun.tenant(0, 1))).isFalse();
    assertThat(run.last()).isInstanceOf(ExceedsCapacity.class);
    assertThat(run.fairState().tenants()).isZero();
  }

  @Test
  void requestsWithoutATenantAreOneTenant() {
    var limit = FairRun.limit(Rate.perSecond(10), 10);
    State state = State.FRESH;
    int passed = 0;
    for (int i = 0; i < 10; i++) {
      var step = limit.step(state, START, 1);
      state = step.state();
      if (step.outcome() instanceof Outcome.Passed) passed++;
    }
    assertThat(passed).isEqualTo(5); // the other half is kept for a tenant that joins
  }

  @Test
  void idleTenantsAreDropped() {
    var run = new FairRun(FairRun.limit(Rate.perSecond(100), 100));
    for (int i = 0; i < 10; i++) run.check(START, 1, FairRun.tenant(i, 1));
    assertThat(run.fairState().tenants()).isEqualTo(10);
    run.check(START + 3 * SECOND, 1, FairRun.tenant(3, 1));
    assertThat(run.fairState().tenants()).isEqualTo(1);
  }

  @Test
  void hundredThousandTenantNamesStayWithinBoundedStateAndTime() {
    var run = new FairRun(FairRun.limit(Rate.perSecond(100_000), 100_000));
    long now = START;
    run.check(now, 1, FairRun.tenant(-1, 1));
    long began = System.nanoTime();
    for (int i = 0; i < 100_000; i++, now += 10) run.check(now, 1, FairRun.tenant(i, 1));
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
    assertThat(run.fairState().tenants()).isEqualTo(FairBucket.MAX_TENANTS + 1);
    // A tenant that was there before has its share: a 1,026th of the burst and of the rate.
    for (int i = 0; i < 90; i++) {
      assertThat(run.check(now, 1, FairRun.tenant(-1, 1))).isTrue();
    }
  }

  @Test
  void stateDoesNotDependOnLaterSteps() {
    var limit = FairRun.limit(Rate.perSecond(100), 100);
    var first = limit.step(State.FRESH, START, 1, FairRun.tenant(0, 1)).state();
    var before = limit.step(first, START + 1, 1, FairRun.tenant(1, 1)).outcome();
    limit.step(first, START + 5 * SECOND, 3, FairRun.tenant(0, 7));
    assertThat(limit.step(first, START + 1, 1, FairRun.tenant(1, 1)).outcome()).isEqualTo(before);
  }

  /** Stores may forget a state from then on, so a change of the limit must not revive it. */
  @Test
  void noTenantIsActiveUnderAChangedLimitOnceTheStateIsFresh() {
    var before = FairRun.limit(Rate.perSecond(10), 10);
    var state = before.step(State.FRESH, START, 1, FairRun.tenant(1, 5)).state();
    var changed = FairRun.limit(Rate.perMinute(60), 60);
    long fresh = state.freshAt();
    var other = FairRun.tenant(2, 1);
    assertThat(changed.step(state, fresh, 1, other).outcome())
        .isEqualTo(changed.step(State.FRESH, fresh, 1, other).outcome());
    assertThat(changed.step(state, fresh - 1, 1, other).outcome())
        .isNotEqualTo(changed.step(State.FRESH, fresh - 1, 1, other).outcome());
  }

  @Test
  void changedWeightAppliesFromTheNextRequest() {
    var run = new FairRun(FairRun.limit(Rate.perSecond(100), 100));
    for (int i = 0; i < 200; i++) {
      run.check(START, 1, FairRun.tenant(0, 1));
      run.check(START, 1, FairRun.tenant(1, 1));
    }
    assertThat(run.check(START, 1, FairRun.tenant(1, 1))).isFalse();
    assertThat(run.check(START, 1, FairRun.tenant(1, 4))).isTrue();
  }

  @Test
  void dividedLimitDividesTheBucket() {
    var limit = FairRun.limit(Rate.perSecond(100), 100);
    assertThat(limit.dividedBy(4))
        .isEqualTo(new FairShare(limit.bucket().dividedBy(4), limit.sharing()));
    assertThat(limit.dividedBy(1)).isSameAs(limit);
  }

  @Test
  void parametersOutOfRangeAreRejected() {
    var weights = new TreeMap<String, Integer>();
    weights.put("pro", 1_001);
    assertThatThrownBy(() -> FairSharing.among("tenant").withWeights("plan", weights))
        .hasMessage("the weight of 'pro' must be 1 to 1000, got 1001");
    assertThatThrownBy(() -> FairSharing.among("a", "b").withWeight("x", 2))
        .hasMessageContaining("need weight-by");
    assertThatThrownBy(() -> FairSharing.among("a", "a")).hasMessageContaining("twice");
    assertThatThrownBy(() -> FairSharing.among(new String[0]))
        .hasMessageContaining("at least one attribute");
    var slow = new TokenBucket(Rate.of(1, Duration.ofDays(100)), 1);
    assertThatThrownBy(() -> new FairShare(slow, FairSharing.among("a")))
        .hasMessageContaining("12 days");
  }
}
