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

/** However instances spend what they hold, and whatever they leave unsaid, a limit is a limit. */
@Domain(Histories.class)
@Domain(Act.Acts.class)
class HeldStateProperties {
  private static final long START = 1_792_000_000_123_456L;

  @Property(tries = 1_000)
  void aTokenBucketAdmitsAtMostItsBurstAndItsRateInAnySpan(
      @ForAll TokenBucket limit, @ForAll @Size(min = 1, max = 60) List<Act> acts) {
    BoundsProperties.keeps(limit, Fleet.after(limit, START, acts).spent());
  }

  @Property(tries = 1_000)
  void aFixedWindowAdmitsAtMostItsPermitsPerWindow(
      @ForAll FixedWindow limit, @ForAll @Size(min = 1, max = 60) List<Act> acts) {
    BoundsProperties.keeps(limit, Fleet.after(limit, START, acts).spent());
  }

  @Property(tries = 1_000)
  void aSlidingWindowAdmitsAtMostItsPermitsInTheSpanItPromises(
      @ForAll SlidingWindow limit, @ForAll @Size(min = 1, max = 60) List<Act> acts) {
    BoundsProperties.keeps(limit, Fleet.after(limit, START, acts).spent());
  }

  @Property(tries = 300)
  void nothingIsLostForEver(
      @ForAll Holdable limit, @ForAll @Size(min = 1, max = 60) List<Act> acts) {
    var fleet = Fleet.after(limit, START, acts);
    long freshAt =
        fleet.state() instanceof HeldState held ? held.freshAt(limit) : fleet.state().freshAt();
    long later = Math.max(fleet.now(), freshAt);
    var settled = HeldState.settled(limit, fleet.state(), later);
    assertThat(settled).isNotInstanceOf(HeldState.class);
    assertThat(limit.step(settled, later, limit.capacity()).outcome()).isInstanceOf(Passed.class);
  }

  @Property(tries = 300)
  void aStateIsForgottenNoLaterThanItsLastLeaseAndTwoWindowsAreOver(
      @ForAll Holdable limit, @ForAll @Size(min = 1, max = 60) List<Act> acts) {
    var fleet = Fleet.after(limit, START, acts);
    if (!(fleet.state() instanceof HeldState held)) return;
    long last = Math.max(fleet.now(), held.holdings().getLast().until());
    assertThat(held.freshAt(limit)).isLessThanOrEqualTo(last + 2 * limit.window());
  }

  @Property(tries = 300)
  void whenItIsLookedAtMakesNoDifference(
      @ForAll Holdable limit, @ForAll @Size(min = 1, max = 60) List<Act> acts) {
    var fleet = Fleet.after(limit, START, acts);
    if (!(fleet.state() instanceof HeldState held)) return;
    State looked = held;
    for (var holding : held.holdings()) looked = HeldState.settled(limit, looked, holding.until());
    long later = held.holdings().getLast().until();
    assertThat(looked).isEqualTo(HeldState.settled(limit, held, later));
  }

  @Property(tries = 300)
  void whatIsChargedAndHeldAndLeftIsAllThereIs(@ForAll @Size(min = 1, max = 60) List<Act> acts) {
    var limit = FixedWindow.of(Rate.of(100, Duration.ofDays(365)));
    var fleet = new Fleet(limit, START);
    for (var act : acts) {
      fleet.play(act);
      var state = HeldState.settled(limit, fleet.state(), fleet.now());
      long charged = limit.adopt(HeldState.bare(state), fleet.now()).count();
      long left = HeldState.step(limit, state, fleet.now(), 0).outcome().remaining();
      long window = fleet.now() / limit.window();
      long spent =
          fleet.spent().stream()
              .filter(turn -> turn.now() / limit.window() == window)
              .mapToLong(Run.Turn::cost)
              .sum();
      assertThat(charged + HeldState.total(HeldState.holdings(state)) + left).isEqualTo(100);
      assertThat(spent).isLessThanOrEqualTo(100 - left);
    }
  }

  @Property(tries = 300)
  void whereNothingIsHeldATakeIsAStepLikeAnyOther(@ForAll Holdable limit, @ForAll History history) {
    var run = new Run(limit, history.start());
    State state = State.FRESH;
    for (var move : history.moves()) {
      var turn = run.turn(move);
      var taken =
          new HoldRequest(1, HoldRequest.Usage.NONE, turn.cost(), 0, 1)
              .from(limit, state, turn.now());
      assertThat(taken)
          .isEqualTo(new HoldRequest.Taken(turn.step().state(), turn.step().outcome(), 0));
      state = taken.state();
    }
  }

  /** What was spent beyond the capacity is repaid like everything else, and as punctually. */
  @Property(tries = 300)
  void whoIsRefusedForWhatWasSpentElsewherePassesAtTheTimeNamedAndNotBefore(
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
  void theSixtyFifthHoldsNothingButIsDecidedAsEver(@ForAll Holdable limit) {
    State state = State.FRESH;
    long held = 0;
    for (int holder = 0; holder <= HeldState.MOST_HOLDERS; holder++) {
      var taken =
          new HoldRequest(holder, HoldRequest.Usage.NONE, 0, 1, 1_000_000)
              .from(limit, state, START);
      state = taken.state();
      held += taken.held();
      if (holder == HeldState.MOST_HOLDERS) assertThat(taken.held()).isZero();
    }
    assertThat(held).isEqualTo(Math.min(HeldState.MOST_HOLDERS, limit.capacity()));
    var asked = new HoldRequest(1_000, HoldRequest.Usage.NONE, 1, 5, 1).from(limit, state, START);
    assertThat(asked.outcome() instanceof Passed).isEqualTo(limit.capacity() > held);
    assertThat(asked.held()).isZero();
  }
}
