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

/** Slots that are taken, renewed, released and abandoned, against a plain list of leases. */
@Domain(Histories.class)
@Domain(ConcurrencyProperties.Deeds.class)
class ConcurrencyProperties {
  enum What {
    ACQUIRE,
    RENEW,
    RELEASE
  }

  /** Something done to the {@code which}-th of those who ever asked for a slot. */
  record Deed(What what, double which, long later, long cost) {}

  static class Deeds extends DomainContextBase {
    @Provide
    Arbitrary<List<Deed>> deeds() {
      var what =
          Arbitraries.frequency(
              Tuple.of(3, What.ACQUIRE), Tuple.of(2, What.RENEW), Tuple.of(1, What.RELEASE));
      return Combinators.combine(
              what,
              Arbitraries.doubles().between(0, 0.99),
              Arbitraries.longs().between(-5, 30),
              Arbitraries.longs().between(1, 3))
          .as(Deed::new)
          .list()
          .ofMaxSize(60);
    }
  }

  @Property(tries = 1_000)
  void slotsAnswerAsAListOfLeasesDoes(@ForAll Concurrency limit, @ForAll List<Deed> deeds) {
    var slow = new SlowConcurrency(limit);
    State state = State.FRESH;
    long now = 1_000_000;
    int holders = 0;
    for (var deed : deeds) {
      now += deed.later;
      long holder = (long) (deed.which * holders);
      switch (deed.what) {
        case ACQUIRE -> {
          var step = limit.step(state, now, deed.cost, holders);
          assertThat(step.outcome()).isEqualTo(slow.ask(now, deed.cost, holders));
          state = step.state();
          holders++;
        }
        case RENEW -> {
          slow.renew(now, holder);
          state = limit.renew(state, now, holder);
        }
        case RELEASE -> {
          slow.release(now, holder);
          state = limit.release(state, now, holder);
        }
      }
      for (int each = 0; each < holders; each++) {
        assertThat(limit.adopt(state, now).holds(each)).isEqualTo(slow.holds(each));
      }
      assertThat(limit.step(state, now, 0).outcome()).isEqualTo(slow.ask(now, 0));
    }
  }
}
