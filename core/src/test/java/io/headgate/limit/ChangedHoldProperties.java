package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome.Passed;
import java.math.BigInteger;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.domains.Domain;

/**
 * A limit is changed while instances hold permits of it. Holds are neither lost nor charged beyond
 * the capacity of the new limit. The expected numbers are computed as exact fractions.
 */
@Domain(LimitArbitraries.class)
@Domain(HoldAction.Actions.class)
class ChangedHoldProperties {
  private static final long START = 1_792_000_000_123_456L;
  private static final BigInteger ALL = BigInteger.valueOf(Utilization.ALL);

  /** Returns a part of a whole as a fixed-point fraction, rounded up. */
  private static long shareUp(long part, long whole) {
    var scaled = BigInteger.valueOf(part).multiply(ALL).add(BigInteger.valueOf(whole - 1));
    return scaled.divide(BigInteger.valueOf(whole)).min(ALL).longValueExact();
  }

  @Property(tries = 500)
  void holdsAreScaledInProportionWithinOnePermit(
      @ForAll Holdable before,
      @ForAll Holdable after,
      @ForAll @Size(min = 1, max = 40) List<HoldAction> actions) {
    var instances = LeasingInstances.after(before, START, actions);
    long now = instances.now();
    var state = HeldState.expireHolds(before, instances.state(), now);
    var changed = HeldState.expireHolds(after, state, now);
    long held = HeldState.total(HeldState.holds(state));
    long scaled = HeldState.total(HeldState.holds(changed));
    var whole = BigInteger.valueOf(before.capacity());
    var exact = BigInteger.valueOf(held).multiply(BigInteger.valueOf(after.capacity()));
    long millionth = Math.ceilDiv(after.capacity(), Utilization.ALL);
    assertThat(scaled)
        .isBetween(
            exact.divide(whole).longValueExact(),
            exact.divide(whole).longValueExact() + 1 + millionth);
    assertThat(scaled).isLessThanOrEqualTo(after.capacity());
    if (held > 0) assertThat(scaled).isPositive();
  }

  @Property(tries = 500)
  void remainingPermitsAreScaledInProportion(
      @ForAll Holdable before,
      @ForAll Holdable after,
      @ForAll @Size(min = 1, max = 40) List<HoldAction> actions) {
    var instances = LeasingInstances.after(before, START, actions);
    long now = instances.now();
    var state = HeldState.expireHolds(before, instances.state(), now);
    long used = HeldState.withoutHolds(state).used(now);
    long held = shareUp(HeldState.total(HeldState.holds(state)), before.capacity());
    long free = Math.max(0, Utilization.ALL - used - held);
    long left =
        HeldState.step(after, HeldState.expireHolds(after, state, now), now, 0)
            .outcome()
            .remaining();
    var least = BigInteger.valueOf(free).multiply(BigInteger.valueOf(after.capacity())).divide(ALL);
    long rounding =
        3 + 3 * (after.capacity() / Utilization.ALL + after.capacity() / after.window());
    assertThat(left).isGreaterThanOrEqualTo(least.longValueExact() - rounding);
  }

  /** No caller is denied for longer than the new limit takes to refill. */
  @Property(tries = 500)
  void fullCapacityIsBackTwoWindowsAfterTheLastLease(
      @ForAll Holdable before,
      @ForAll Holdable after,
      @ForAll @Size(min = 1, max = 40) List<HoldAction> actions) {
    var instances = LeasingInstances.after(before, START, actions);
    long now = instances.now();
    var holds = HeldState.holds(instances.state());
    long last = holds.isEmpty() ? now : Math.max(now, holds.getLast().until());
    var changed =
        HeldState.step(after, HeldState.expireHolds(after, instances.state(), now), now, 0).state();
    long later = last + 2 * after.window();
    var expired = HeldState.expireHolds(after, changed, later);
    assertThat(expired).isNotInstanceOf(HeldState.class);
    assertThat(after.step(expired, later, after.capacity()).outcome()).isInstanceOf(Passed.class);
  }

  @Property(tries = 500)
  void tokenBucketKeepsItsBoundAfterTheChange(
      @ForAll Holdable before,
      @ForAll TokenBucket after,
      @ForAll @Size(min = 1, max = 30) List<HoldAction> actions,
      @ForAll @Size(min = 1, max = 30) List<HoldAction> then) {
    GuaranteeProperties.assertKept(after, changed(before, after, actions, then).spent());
  }

  @Property(tries = 500)
  void fixedWindowKeepsItsBoundAfterTheChange(
      @ForAll Holdable before,
      @ForAll FixedWindow after,
      @ForAll @Size(min = 1, max = 30) List<HoldAction> actions,
      @ForAll @Size(min = 1, max = 30) List<HoldAction> then) {
    GuaranteeProperties.assertKept(after, changed(before, after, actions, then).spent());
  }

  @Property(tries = 500)
  void slidingWindowKeepsItsBoundAfterTheChange(
      @ForAll Holdable before,
      @ForAll SlidingWindow after,
      @ForAll @Size(min = 1, max = 30) List<HoldAction> actions,
      @ForAll @Size(min = 1, max = 30) List<HoldAction> then) {
    GuaranteeProperties.assertKept(after, changed(before, after, actions, then).spent());
  }

  private static LeasingInstances changed(
      Holdable before, Holdable after, List<HoldAction> actions, List<HoldAction> then) {
    var instances = LeasingInstances.after(before, START, actions);
    instances.change(after);
    for (var action : then) instances.apply(action);
    return instances;
  }

  /** A limit that is not holdable adopts holds as charges. Slots in flight are not charges. */
  @Property(tries = 500)
  void limitThatIsNotHoldableAdoptsHoldsAsCharges(
      @ForAll Holdable before,
      @ForAll RollingWindow after,
      @ForAll @Size(min = 1, max = 40) List<HoldAction> actions) {
    var instances = LeasingInstances.after(before, START, actions);
    long now = instances.now();
    var state = HeldState.expireHolds(before, instances.state(), now);
    long held = shareUp(HeldState.total(HeldState.holds(state)), before.capacity());
    long used = Math.min(Utilization.ALL, HeldState.withoutHolds(state).used(now) + held);
    long left = after.step(state, now, 0).outcome().remaining();
    var max =
        BigInteger.valueOf(Utilization.ALL - used).multiply(BigInteger.valueOf(after.capacity()));
    assertThat(left).isLessThanOrEqualTo(max.divide(ALL).longValueExact() + 1);
  }

  /** A report or a release under another limit does not convert the state. */
  @Property(tries = 500)
  void onlyADecisionConvertsTheStateOfAnotherLimit(
      @ForAll Limit before, @ForAll Holdable after, @ForAll History history) {
    var run = Run.after(before, history);
    long now = run.now();
    var state = run.state();
    if (!HeldState.isFromOtherLimit(after, state, now)) return;
    assertThat(HeldState.reported(after, state, now, 5))
        .isEqualTo(new HeldState.Reported(state, false, 0));
    var given =
        new HoldRequest(1, new HoldRequest.Usage(3, 5, now + 1), 0, 2, 1).from(after, state, now);
    assertThat(given.state()).isSameAs(state);
    assertThat(given.held()).isZero();
    var decided = new HoldRequest(1, HoldRequest.Usage.NONE, 1, 0, 1).from(after, state, now);
    assertThat(after.isOwn(HeldState.withoutHolds(decided.state()))).isTrue();
  }
}
