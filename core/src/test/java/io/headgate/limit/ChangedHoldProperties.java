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
 * A limit is changed while instances hold permits of it: holds are neither lost, nor charged beyond
 * what the new limit bears. The expected numbers are plain fractions, at any expense.
 */
@Domain(Histories.class)
@Domain(Act.Acts.class)
class ChangedHoldProperties {
  private static final long START = 1_792_000_000_123_456L;
  private static final BigInteger ALL = BigInteger.valueOf(Utilization.ALL);

  /** What is held and what is charged, as a fraction of the capacity: numerator over ALL. */
  private static long shareUp(long part, long whole) {
    var scaled = BigInteger.valueOf(part).multiply(ALL).add(BigInteger.valueOf(whole - 1));
    return scaled.divide(BigInteger.valueOf(whole)).min(ALL).longValueExact();
  }

  @Property(tries = 500)
  void holdsAreTakenOverInProportionToLessThanAPermitInAll(
      @ForAll Holdable before,
      @ForAll Holdable after,
      @ForAll @Size(min = 1, max = 40) List<Act> acts) {
    var fleet = Fleet.after(before, START, acts);
    long now = fleet.now();
    var state = HeldState.settled(before, fleet.state(), now);
    var changed = HeldState.settled(after, state, now);
    long held = HeldState.total(HeldState.holdings(state));
    long scaled = HeldState.total(HeldState.holdings(changed));
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
  void whatIsLeftIsLeftInProportionToo(
      @ForAll Holdable before,
      @ForAll Holdable after,
      @ForAll @Size(min = 1, max = 40) List<Act> acts) {
    var fleet = Fleet.after(before, START, acts);
    long now = fleet.now();
    var state = HeldState.settled(before, fleet.state(), now);
    long used = HeldState.bare(state).used(now);
    long held = shareUp(HeldState.total(HeldState.holdings(state)), before.capacity());
    long free = Math.max(0, Utilization.ALL - used - held);
    long left =
        HeldState.step(after, HeldState.settled(after, state, now), now, 0).outcome().remaining();
    var least = BigInteger.valueOf(free).multiply(BigInteger.valueOf(after.capacity())).divide(ALL);
    long rounding =
        3 + 3 * (after.capacity() / Utilization.ALL + after.capacity() / after.window());
    assertThat(left).isGreaterThanOrEqualTo(least.longValueExact() - rounding);
  }

  /** Nobody is locked out for longer than the new limit takes to come back from nothing. */
  @Property(tries = 500)
  void afterTheLastLeaseAndTwoWindowsOfTheNewLimitAllOfItIsBack(
      @ForAll Holdable before,
      @ForAll Holdable after,
      @ForAll @Size(min = 1, max = 40) List<Act> acts) {
    var fleet = Fleet.after(before, START, acts);
    long now = fleet.now();
    var holdings = HeldState.holdings(fleet.state());
    long last = holdings.isEmpty() ? now : Math.max(now, holdings.getLast().until());
    var changed =
        HeldState.step(after, HeldState.settled(after, fleet.state(), now), now, 0).state();
    long later = last + 2 * after.window();
    var settled = HeldState.settled(after, changed, later);
    assertThat(settled).isNotInstanceOf(HeldState.class);
    assertThat(after.step(settled, later, after.capacity()).outcome()).isInstanceOf(Passed.class);
  }

  @Property(tries = 500)
  void aTokenBucketKeepsItsBoundAfterTheChange(
      @ForAll Holdable before,
      @ForAll TokenBucket after,
      @ForAll @Size(min = 1, max = 30) List<Act> acts,
      @ForAll @Size(min = 1, max = 30) List<Act> then) {
    BoundsProperties.keeps(after, changed(before, after, acts, then).spent());
  }

  @Property(tries = 500)
  void aFixedWindowKeepsItsBoundAfterTheChange(
      @ForAll Holdable before,
      @ForAll FixedWindow after,
      @ForAll @Size(min = 1, max = 30) List<Act> acts,
      @ForAll @Size(min = 1, max = 30) List<Act> then) {
    BoundsProperties.keeps(after, changed(before, after, acts, then).spent());
  }

  @Property(tries = 500)
  void aSlidingWindowKeepsItsBoundAfterTheChange(
      @ForAll Holdable before,
      @ForAll SlidingWindow after,
      @ForAll @Size(min = 1, max = 30) List<Act> acts,
      @ForAll @Size(min = 1, max = 30) List<Act> then) {
    BoundsProperties.keeps(after, changed(before, after, acts, then).spent());
  }

  private static Fleet changed(Holdable before, Holdable after, List<Act> acts, List<Act> then) {
    var fleet = Fleet.after(before, START, acts);
    fleet.change(after);
    for (var act : then) fleet.play(act);
    return fleet;
  }

  /** A limit that can't be divided finds them charged; slots in flight are no charges. */
  @Property(tries = 500)
  void whereNothingCanBeHeldHoldsAreCharged(
      @ForAll Holdable before,
      @ForAll RollingWindow after,
      @ForAll @Size(min = 1, max = 40) List<Act> acts) {
    var fleet = Fleet.after(before, START, acts);
    long now = fleet.now();
    var state = HeldState.settled(before, fleet.state(), now);
    long held = shareUp(HeldState.total(HeldState.holdings(state)), before.capacity());
    long used = Math.min(Utilization.ALL, HeldState.bare(state).used(now) + held);
    long left = after.step(state, now, 0).outcome().remaining();
    var most =
        BigInteger.valueOf(Utilization.ALL - used).multiply(BigInteger.valueOf(after.capacity()));
    assertThat(left).isLessThanOrEqualTo(most.divide(ALL).longValueExact() + 1);
  }

  /** Nor does a report, or a hold that is given up, of a limit that is no more. */
  @Property(tries = 500)
  void onlyADecisionConvertsTheStateOfAnotherLimit(
      @ForAll Limit before, @ForAll Holdable after, @ForAll History history) {
    var run = Run.after(before, history);
    long now = run.now();
    var state = run.state();
    if (!HeldState.isOfAnother(after, state, now)) return;
    assertThat(HeldState.reported(after, state, now, 5))
        .isEqualTo(new HeldState.Reported(state, false));
    var given =
        new HoldRequest(1, new HoldRequest.Usage(3, 5, now + 1), 0, 2, 1).from(after, state, now);
    assertThat(given.state()).isSameAs(state);
    assertThat(given.held()).isZero();
    var decided = new HoldRequest(1, HoldRequest.Usage.NONE, 1, 0, 1).from(after, state, now);
    assertThat(after.isOwn(HeldState.bare(decided.state()))).isTrue();
  }
}
