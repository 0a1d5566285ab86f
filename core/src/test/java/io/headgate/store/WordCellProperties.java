package io.headgate.store;

import static io.headgate.outage.Asks.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.outage.Asks;
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

/** A word tells as much as the state it stands for. */
class WordCellProperties {
  record Ask(long after, long cost, boolean alone) {}

  @Property
  void aWordCellSaysWhatTheLimitSays(
      @ForAll("buckets") Limit limit, @ForAll("asks") List<Ask> asks) {
    var counter = Asks.charge(limit, "k").counter();
    var cell = new WordCell(counter, "k");
    State state = State.FRESH;
    long now = START;
    for (var ask : asks) {
      now += ask.after;
      var charge = new Charge(counter, "k", Math.min(ask.cost, limit.capacity()), 0);
      var expected = charge.step(state, now);
      if (ask.alone) {
        assertThat(cell.take(charge, now)).isEqualTo(expected.outcome());
      } else {
        var step = charge.step(cell.lock(), now);
        cell.unlock(step.state(), false);
        assertThat(step).isEqualTo(expected);
      }
      state = expected.state();
      assertThat(cell.look()).isEqualTo(state);
    }
  }

  @Example
  void aRateOfTooManyPermitsInLowestTermsHasNoWordCell() {
    assertThat(WordCell.holds(new TokenBucket(Rate.perSecond(1023)))).isTrue();
    assertThat(WordCell.holds(new TokenBucket(Rate.perSecond(1_000_000)))).isTrue();
    assertThat(WordCell.holds(new TokenBucket(Rate.perSecond(1027)))).isFalse();
  }

  @Example
  void aCellIsUnusedUntilSomebodyHasAskedIt() {
    var charge = Asks.charge(new TokenBucket(Rate.perSecond(1)), "k");
    for (var cell :
        List.of(
            new WordCell(charge.counter(), "k"),
            new StateCell(charge.counter(), "k", State.FRESH))) {
      assertThat(cell.isUnused()).isTrue();
      cell.restore(cell.lock());
      assertThat(cell.isUnused()).isTrue();
      cell.take(charge, START);
      assertThat(cell.isUnused()).isFalse();
      assertThat(cell.isRefused()).isFalse();
      cell.take(charge, START);
      assertThat(cell.isRefused()).isTrue();
      cell.restore(cell.lock());
      assertThat(cell.isRefused()).isTrue();
      cell.take(charge, START + 1_000_000);
      assertThat(cell.isRefused()).isFalse();
      cell.kill();
      assertThat(cell.isDead()).isTrue();
      assertThat(cell.take(charge, START)).isNull();
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
    Arbitrary<Limit> lines = Combinators.combine(rates, few).as(LeakyBucket::queueing);
    return Arbitraries.oneOf(tokens, lines).filter(WordCell::holds);
  }

  @Provide
  Arbitrary<List<Ask>> asks() {
    var times =
        Arbitraries.oneOf(Arbitraries.just(0L), Arbitraries.longs().between(-500, 5_000_000));
    var costs = Arbitraries.longs().between(0, 5);
    return Combinators.combine(times, costs, Arbitraries.of(true, false))
        .as(Ask::new)
        .list()
        .ofMaxSize(60);
  }
}
