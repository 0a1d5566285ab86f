package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContextBase;

/** Compares slots that are acquired, renewed, released and abandoned with a plain list. */
@Domain(LimitArbitraries.class)
@Domain(ConcurrencyProperties.Actions.class)
class ConcurrencyProperties {
  enum Kind {
    ACQUIRE,
    RENEW,
    RELEASE
  }

  /** An action on the {@code which}-th of all holders so far. */
  record Action(Kind kind, double which, long later, long cost) {}

  static class Actions extends DomainContextBase {
    @Provide
    Arbitrary<List<Action>> actions() {
      var kind =
          Arbitraries.frequency(
              Tuple.of(3, Kind.ACQUIRE), Tuple.of(2, Kind.RENEW), Tuple.of(1, Kind.RELEASE));
      return Combinators.combine(
              kind,
              Arbitraries.doubles().between(0, 0.99),
              Arbitraries.longs().between(-5, 30),
              Arbitraries.longs().between(1, 3))
          .as(Action::new)
          .list()
          .ofMaxSize(60);
    }
  }

  @Property(tries = 1_000)
  void slotsMatchAReferenceList(@ForAll Concurrency limit, @ForAll List<Action> actions) {
    var reference = new ReferenceConcurrency(limit);
    State state = State.FRESH;
    long now = 1_000_000;
    int holders = 0;
    for (var action : actions) {
      now += action.later;
      long holder = (long) (action.which * holders);
      switch (action.kind) {
        case ACQUIRE -> {
          var step = limit.step(state, now, action.cost, holders);
          assertThat(step.outcome()).isEqualTo(reference.check(now, action.cost, holders));
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
      }
      for (int each = 0; each < holders; each++) {
        assertThat(limit.adopt(state, now).holds(each)).isEqualTo(reference.holds(each));
      }
      assertThat(limit.step(state, now, 0).outcome()).isEqualTo(reference.check(now, 0));
    }
  }
}
