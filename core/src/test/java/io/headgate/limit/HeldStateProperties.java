package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.domains.Domain;

/** Limits hold however instances spend and report their permits. */
@Domain(LimitArbitraries.class)
@Domain(HoldAction.Actions.class)
class HeldStateProperties {
  private static final long START = 1_792_000_000_123_456L;

  @Property(tries = 1_000)
  void tokenBucketAdmitsAtMostBurstPlusRateInAnySpan(
      @ForAll TokenBucket limit, @ForAll @Size(min = 1, max = 60) List<HoldAction> actions) {
    GuaranteeProperties.assertKept(limit, LeasingInstances.after(limit, START, actions).spent());
  }

  @Property(tries = 1_000)
  void fixedWindowAdmitsAtMostItsPermitsPerWindow(
      @ForAll FixedWindow limit, @ForAll @Size(min = 1, max = 60) List<HoldAction> actions) {
    GuaranteeProperties.assertKept(limit, LeasingInstances.after(limit, START, actions).spent());
  }

  @Property(tries = 1_000)
  void slidingWindowAdmitsAtMostItsPermitsInItsGuaranteedSpan(
      @ForAll SlidingWindow limit, @ForAll @Size(min = 1, max = 60) List<HoldAction> actions) {
    GuaranteeProperties.assertKept(limit, LeasingInstances.after(limit, START, actions).spent());
  }

  @Property(tries = 300)
  void fullCapacityComesBackAfterAllLeases(
      @ForAll Holdable limit, @ForAll @Size(min = 1, max = 60) List<HoldAction> actions) {
    var instances = LeasingInstances.after(limit, START, actions);
    long freshAt =
        instances.state() instanceof HeldState held
            ? held.freshAt(limit)
            : instances.state().freshAt();
    long later = Math.max(instances.now(), freshAt);
    var expired = HeldState.expireHolds(limit, instances.state(), later);
    assertThat(expired).isNotInstanceOf(HeldState.class);
    assertThat(limit.step(expired, later, limit.capacity()).outcome()).isInstanceOf(Passed.class);
  }

  @Property(tries = 300)
  void stateExpiresWithinTwoWindowsOfTheLastLease(
      @ForAll Holdable limit, @ForAll @Size(min = 1, max = 60) List<HoldAction> actions) {
    var instances = LeasingInstances.after(limit, START, actions);
    if (!(instances.state() instanceof HeldState held)) return;
    long last = Math.max(instances.now(), held.holds().getLast().until());
    assertThat(held.freshAt(limit)).isLessThanOrEqualTo(last + 2 * limit.window());
  }

  @Property(tries = 300)
  void expiryOfHoldsDoesNotDependOnReads(
      @ForAll Holdable limit, @ForAll @Size(min = 1, max = 60) List<HoldAction> actions) {
    var instances = LeasingInstances.after(limit, START, actions);
    if (!(instances.state() instanceof HeldState held)) return;
    State looked = held;
    for (var hold : held.holds()) looked = HeldState.expireHolds(limit, looked, hold.until());
    long later = held.holds().getLast().until();
    assertThat(looked).isEqualTo(HeldState.expireHolds(limit, held, later));
  }

  /**
   * Charges may exceed the capacity: if the reply to a request is lost and the shorter hold that it
   * made has expired, the next request reports the same permits again.
   */
  @Property(tries = 300)
  void remainingIsTheCapacityLessChargesAndHolds(
      @ForAll @Size(min = 1, max = 60) List<HoldAction> actions) {
    var limit = FixedWindow.of(Rate.of(100, Duration.ofDays(365)));
    var instances = new LeasingInstances(limit, START);
    for (var action : actions) {
      instances.apply(action);
      var state = HeldState.expireHolds(limit, instances.state(), instances.now());
      long charged = limit.adopt(HeldState.withoutHolds(state), instances.now()).count();
      long left = HeldState.step(limit, state, instances.now(), 0).outcome().remaining();
      long window = instances.now() / limit.window();
      long spent =
          instances.spent().stream()
              .filter(turn -> turn.now() / limit.window() == window)
              .mapToLong(Run.Turn::cost)
              .sum();
      long held = HeldState.total(HeldState.holds(state));
      assertThat(left).isEqualTo(Math.max(0, 100 - charged - held));
      assertThat(spent).isLessThanOrEqualTo(100 - left);
    }
  }

  @Property(tries = 300)
  void holdRequestWithoutHoldsEqualsAStep(@ForAll Holdable limit, @ForAll History history) {
    var run = new Run(limit, history.start());
    State state = State.FRESH;
    for (var move : history.moves()) {
      var turn = run.turn(move);
      var taken =
          new HoldRequest(1, HoldRequest.Usage.NONE, turn.cost(), 0, 1)
              .from(limit, state, turn.now());
      assertThat(taken)
          .isEqualTo(new HoldRequest.Result(turn.step().state(), turn.step().outcome(), 0));
      state = taken.state();
    }
  }

  /** Charges beyond the capacity are repaid with an exact retry time. */
  @Property(tries = 300)
  void retryTimeIsExactAfterChargesBeyondTheCapacity(
      @ForAll Holdable limit, @ForAll History history) {
    State state = State.FRESH;
    long now = history.start();
    for (var move : history.forward().moves()) {
      long left = limit.step(state, now, 0).outcome().remaining();
      assertThat(left).isNotNegative();
      now = move.time(limit, now, limit.step(state, now, limit.capacity()).outcome());
      state = limit.charged(state, now, move.cost(limit, left) % (limit.capacity() + 2));
      long cost = Math.clamp(move.cost(limit, left), 1, limit.capacity());
      if (limit.step(state, now, cost).outcome() instanceof Refused refused) {
        long then = now + refused.retryAfter();
        assertThat(limit.step(state, then, cost).outcome()).isInstanceOf(Passed.class);
        assertThat(limit.step(state, then - 1, cost).outcome()).isInstanceOf(Refused.class);
      }
    }
  }

  @Property(tries = 300)
  void holderBeyondTheMaximumHoldsNothingButIsDecided(@ForAll Holdable limit) {
    State state = State.FRESH;
    long held = 0;
    for (int holder = 0; holder <= HeldState.MAX_HOLDERS; holder++) {
      var taken =
          new HoldRequest(holder, HoldRequest.Usage.NONE, 0, 1, 1_000_000)
              .from(limit, state, START);
      state = taken.state();
      held += taken.held();
      if (holder == HeldState.MAX_HOLDERS) assertThat(taken.held()).isZero();
    }
    assertThat(held).isEqualTo(Math.min(HeldState.MAX_HOLDERS, limit.capacity()));
    var decided = new HoldRequest(1_000, HoldRequest.Usage.NONE, 1, 5, 1).from(limit, state, START);
    assertThat(decided.outcome() instanceof Passed).isEqualTo(limit.capacity() > held);
    assertThat(decided.held()).isZero();
  }
}
