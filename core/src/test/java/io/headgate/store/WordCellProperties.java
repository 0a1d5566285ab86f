package io.headgate.store;

import static io.headgate.internal.outage.TestPlans.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.internal.outage.TestPlans;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Charge;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Tests that a word cell behaves as the state that it encodes. */
class WordCellProperties {
  record TestRequest(long after, long cost, boolean single) {}

  @Property
  void wordCellHasTheOutcomesOfTheLimit(
      @ForAll("buckets") Limit limit, @ForAll("requests") List<TestRequest> requests) {
    var counter = TestPlans.charge(limit, "k").counter();
    var cell = new WordCell(counter, "k");
    State state = State.FRESH;
    long now = START;
    for (var request : requests) {
      now += request.after;
      var charge = new Charge(counter, "k", Math.min(request.cost, limit.capacity()), 0);
      var expected = charge.step(state, now);
      if (request.single) {
        assertThat(cell.decide(charge, now)).isEqualTo(expected.outcome());
      } else {
        var step = charge.step(cell.lock(), now);
        cell.unlock(step.state(), false);
        assertThat(step).isEqualTo(expected);
      }
      state = expected.state();
      assertThat(cell.read()).isEqualTo(state);
    }
  }

  @Example
  void rateWithTooManyPermitsInLowestTermsHasNoWordCell() {
    assertThat(WordCell.holds(TokenBucket.of(Rate.perSecond(1023)))).isTrue();
    assertThat(WordCell.holds(TokenBucket.of(Rate.perSecond(1_000_000)))).isTrue();
    assertThat(WordCell.holds(TokenBucket.of(Rate.perSecond(1027)))).isFalse();
  }

  @Example
  void cellIsUnusedUntilItsFirstRequest() {
    var charge = TestPlans.charge(TokenBucket.of(Rate.perSecond(1)), "k");
    for (var cell :
        List.of(
            new WordCell(charge.counter(), "k"),
            new StateCell(charge.counter(), "k", State.FRESH))) {
      assertThat(cell.isUnused()).isTrue();
      cell.restore(cell.lock());
      assertThat(cell.isUnused()).isTrue();
      cell.decide(charge, START);
      assertThat(cell.isUnused()).isFalse();
      assertThat(cell.isRefused()).isFalse();
      cell.decide(charge, START);
      assertThat(cell.isRefused()).isTrue();
      cell.restore(cell.lock());
      assertThat(cell.isRefused()).isTrue();
      cell.decide(charge, START + 1_000_000);
      assertThat(cell.isRefused()).isFalse();
      cell.retire();
      assertThat(cell.isDead()).isTrue();
      assertThat(cell.decide(charge, START)).isNull();
      assertThat(cell.lock()).isNull();
    }
  }

  @Provide
  Arbitrary<Limit> buckets() {
    var rates =
        Combinators.combine(
                Arbitraries.longs().between(1, 1024),
                Arbitraries.of(1, 7, 60, 3_600, 86_400).map(Duration::ofSeconds))
            .as(Rate::of);
    var few = Arbitraries.longs().between(1, 50);
    Arbitrary<Limit> tokens = Combinators.combine(rates, few).as(TokenBucket::new);
    Arbitrary<Limit> queues =
        Combinators.combine(rates.map(LeakyBucket::of), few).as(LeakyBucket::withQueue);
    return Arbitraries.oneOf(tokens, queues).filter(WordCell::holds);
  }

  @Provide
  Arbitrary<List<TestRequest>> requests() {
    var times =
        Arbitraries.oneOf(Arbitraries.just(0L), Arbitraries.longs().between(-500, 5_000_000));
    var costs = Arbitraries.longs().between(0, 5);
    return Combinators.combine(times, costs, Arbitraries.of(true, false))
        .as(TestRequest::new)
        .list()
        .ofMaxSize(60);
  }
}
