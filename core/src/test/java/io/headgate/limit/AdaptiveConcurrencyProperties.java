package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome.Passed;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Compares adaptive slots with a map of slots and the controller itself. */
class AdaptiveConcurrencyProperties {
  enum Kind {
    ACQUIRE,
    RENEW,
    RELEASE,
    COMPLETE,
    CHANGE
  }

  /** An action on the {@code which}-th of all holders so far. */
  record Action(Kind kind, double which, long later, long cost, CompletedCall call) {}

  @Provide
  Arbitrary<AdaptiveConcurrency> limits() {
    return Combinators.combine(
            Arbitraries.longs().between(1, 4),
            Arbitraries.longs().between(0, 6),
            Arbitraries.doubles().between(0, 1),
            Arbitraries.of(1_000L, 1_000_000L, 3_600_000_000L))
        .as((min, more, part, lease) ->
            AdaptiveConcurrency.between(min, min + more)
                .withInitial(min + (long) (part * more))
                .withLease(Duration.of(lease, ChronoUnit.MICROS)));
  }

  @Provide
  Arbitrary<List<Action>> actions() {
    var kind =
        Arbitraries.frequency(
            Tuple.of(12, Kind.ACQUIRE),
            Tuple.of(12, Kind.COMPLETE),
            Tuple.of(1, Kind.RENEW),
            Tuple.of(1, Kind.RELEASE),
            Tuple.of(1, Kind.CHANGE));
    var later =
        Arbitraries.frequencyOf(
            Tuple.of(20, Arbitraries.longs().between(0, 500)),
            Tuple.of(1, Arbitraries.longs().between(0, 5_000_000_000L)));
    var duration =
        Arbitraries.frequencyOf(
            Tuple.of(5, Arbitraries.longs().between(0, 1_000)),
            Tuple.of(1, Arbitraries.longs().between(0, CompletedCall.MAX_MICROS)));
    var call =
        Combinators.combine(Arbitraries.of(CallOutcome.class), duration).as(CompletedCall::new);
    return Combinators.combine(
            kind,
            Arbitraries.doubles().between(0, 1),
            later,
            Arbitraries.longs().between(0, 3),
            call)
        .as(Action::new)
        .list()
        .ofMaxSize(400);
  }

  /** A recent holder, since the earlier ones have most often released their slots. */
  private static long holder(Action action, int holders) {
    return Math.max(0, holders - 1 - (long) (action.which * 8));
  }

  @Property(tries = 500)
  void slotsAndLimitMatchTheReference(
      @ForAll("limits") AdaptiveConcurrency one,
      @ForAll("limits") AdaptiveConcurrency other,
      @ForAll("actions") List<Action> actions) {
    var limit = one;
    var reference = new ReferenceAdaptiveConcurrency(limit);
    State state = State.FRESH;
    long now = 1_000_000;
    int holders = 0;
    for (var action : actions) {
      now += action.later;
      long holder = holder(action, holders);
      switch (action.kind) {
        case ACQUIRE -> {
          var step = limit.step(state, now, action.cost, holders);
          boolean passes = reference.acquire(now, action.cost, holders);
          assertThat(step.outcome() instanceof Passed).isEqualTo(passes);
          state = step.state();
          holders++;
        }
        case RENEW -> {
          reference.renew(now, holder);
          state = limit.renew(state, now, holder);
        }
        case RELEASE -> {
          reference.release(now, holder);
          state = limit.release(state, now, holder);
        }
        case COMPLETE -> {
          reference.release(now, holder, action.call);
          state = limit.release(state, now, holder, action.call);
        }
        case CHANGE -> {
          limit = limit.equals(one) ? other : one;
          reference.change(now, limit);
          state = limit.step(state, now, 0).state();
        }
      }
      var look = limit.step(state, now, 0);
      reference.change(now, limit);
      assertThat(look.outcome().limit())
          .isEqualTo(reference.limit())
          .isBetween(limit.min(), limit.max());
      assertThat(look.outcome().remaining())
          .isEqualTo(Math.max(0, reference.limit() - reference.held()));
      assertThat(limit.adopt(state, now).slots().held()).isEqualTo(reference.held());
    }
  }
}
