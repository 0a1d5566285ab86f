package io.headgate.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.DoubleRange;

class ConcurrencyControllerProperties {
  /** A call that completes so many microseconds after the one before. */
  record Completion(long later, long duration, int inFlight, CallOutcome outcome) {
    CallSample sample() {
      return new CallSample(duration, inFlight, outcome);
    }
  }

  @Provide
  Arbitrary<ConcurrencyController> controllers() {
    return Combinators.combine(
            Arbitraries.integers().between(1, ConcurrencyController.MAX_LIMIT),
            Arbitraries.integers().between(1, ConcurrencyController.MAX_LIMIT),
            Arbitraries.integers().between(1, ConcurrencyController.MAX_LIMIT))
        .as((a, b, c) -> {
          int[] sorted = {a, b, c};
          Arrays.sort(sorted);
          return new ConcurrencyController(sorted[0], sorted[2], sorted[1]);
        });
  }

  /** Any numbers, so that clocks step back and durations are negative or longer than a century. */
  @Provide
  Arbitrary<List<Completion>> hostileCalls() {
    var later =
        Arbitraries.frequencyOf(
            Tuple.of(6, Arbitraries.longs().between(0, 100_000)), Tuple.of(1, Arbitraries.longs()));
    var duration =
        Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.longs().between(0, 100_000)), Tuple.of(1, Arbitraries.longs()));
    return Combinators.combine(
            later, duration, Arbitraries.integers(), Arbitraries.of(CallOutcome.class))
        .as(Completion::new)
        .list()
        .ofMaxSize(400);
  }

  @Provide
  Arbitrary<List<Completion>> plausibleCalls() {
    return Combinators.combine(
            Arbitraries.longs().between(0, 5_000),
            Arbitraries.longs().between(100, 200_000),
            Arbitraries.integers().between(1, 60),
            Arbitraries.frequency(
                Tuple.of(12, CallOutcome.SUCCESS),
                Tuple.of(1, CallOutcome.ERROR),
                Tuple.of(1, CallOutcome.DROPPED)))
        .as(Completion::new)
        .list()
        .ofMinSize(200)
        .ofMaxSize(2_000);
  }

  @Property(tries = 300)
  void limitStaysWithinItsBoundsWhateverIsReported(
      @ForAll("controllers") ConcurrencyController controller,
      @ForAll("hostileCalls") List<Completion> calls) {
    var state = controller.start();
    long now = 1_700_000_000_000_000L;
    for (var call : calls) {
      now += call.later;
      state = controller.completed(state, now, call.sample());
      assertThat(state.limit()).isBetween(controller.min(), controller.max());
      assertThat(ControllerState.of(state.toArray())).isEqualTo(state); // every number is valid
    }
  }

  @Property(tries = 100)
  void mutableControllerComputesTheSameNumbers(@ForAll("plausibleCalls") List<Completion> calls) {
    var controller = new ConcurrencyController(1, 100, 20);
    var state = controller.start();
    var live = new LiveController(controller, state);
    long now = 1_700_000_000_000_000L;
    for (var call : calls) {
      now += call.later;
      var before = state.toArray();
      var next = controller.completed(state, now, call.sample());
      live.completed(now, call.sample());
      assertThat(state.toArray()).isEqualTo(before); // the state before is unchanged
      assertThat(live.state()).isEqualTo(next);
      assertThat(live.limit()).isEqualTo(next.limit());
      state = next;
    }
  }

  @Property(tries = 100)
  void limitThatIsNotUsedDoesNotGrow(
      @ForAll("plausibleCalls") List<Completion> calls,
      @ForAll @DoubleRange(min = 0, max = 0.89) double used) {
    var controller = new ConcurrencyController(2, 1_000, 40);
    var state = controller.start();
    long now = 1_700_000_000_000_000L;
    for (var call : calls) {
      now += call.later;
      int inFlight = (int) (used * state.limit());
      state =
          controller.completed(state, now, new CallSample(call.duration, inFlight, call.outcome));
      assertThat(state.limit()).isLessThanOrEqualTo(controller.initial());
    }
  }

  @Property(tries = 50)
  void errorsChangeNothing(@ForAll("plausibleCalls") List<Completion> calls) {
    var controller = new ConcurrencyController(1, 1_000, 40);
    var state = controller.start();
    long now = 1_700_000_000_000_000L;
    for (var call : calls) {
      now += call.later;
      var sample = new CallSample(call.duration, 40, CallOutcome.ERROR);
      state = controller.completed(state, now, sample);
      assertThat(state.limit()).isEqualTo(40);
    }
  }

  @Property(tries = 100)
  void otherBoundsApplyFromTheNextCall(
      @ForAll("plausibleCalls") List<Completion> calls,
      @ForAll("controllers") ConcurrencyController later) {
    var first = new ConcurrencyController(1, 100, 20);
    var state = first.start();
    long now = 1_700_000_000_000_000L;
    for (var call : calls) state = first.completed(state, now += call.later, call.sample());
    state = later.completed(state, now, calls.getFirst().sample());
    assertThat(state.limit()).isBetween(later.min(), later.max());
  }
}
