package io.headgate.store;

import static io.headgate.internal.outage.TestPlans.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.internal.outage.TestPlans;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.limit.WindowState;
import io.headgate.rule.Charge;
import java.time.Duration;
import java.time.ZoneOffset;
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
      @ForAll("limits") Limit limit, @ForAll("requests") List<TestRequest> requests) {
    var counter = TestPlans.charge(limit, "k").counter();
    var cell = (WordCell) CellTable.newCell(new Charge(counter, "k", 1, 0), State.FRESH);
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
    assertThat(BucketCell.holds(TokenBucket.of(Rate.perSecond(1023)))).isTrue();
    assertThat(BucketCell.holds(TokenBucket.of(Rate.perSecond(1_000_000)))).isTrue();
    assertThat(BucketCell.holds(TokenBucket.of(Rate.perSecond(1027)))).isFalse();
  }

  @Example
  void cellIsUnusedUntilItsFirstRequest() {
    var bucket = TestPlans.charge(TokenBucket.of(Rate.perSecond(1)), "k");
    var window = TestPlans.charge(FixedWindow.of(Rate.perSecond(1)), "k");
    for (var cell :
        List.of(
            new BucketCell(bucket.counter(), "k"),
            new WindowCell(window.counter(), "k"),
            new StateCell(bucket.counter(), "k", State.FRESH))) {
      var charge = cell instanceof WindowCell ? window : bucket;
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

  @Example
  void windowWithTooManyPermitsOrOfACalendarHasNoWordCell() {
    assertThat(WindowCell.holds(FixedWindow.of(Rate.perSecond((1 << 30) - 1)))).isTrue();
    assertThat(WindowCell.holds(FixedWindow.of(Rate.perSecond(1 << 30)))).isFalse();
    var month = new Window.Calendar(Window.Unit.MONTH, ZoneOffset.UTC);
    assertThat(WindowCell.holds(FixedWindow.of(10, month))).isFalse();
  }

  @Example
  void fullWindowAtTheLatestTimeFits() {
    for (var length : List.of(Duration.ofNanos(1_000), Duration.ofMillis(3), Duration.ofDays(90))) {
      long permits = 1;
      while (permits < 1L << 51 // the largest rate has fewer than 2^52
          && WindowCell.holds(FixedWindow.of(Rate.of(permits * 2, length)))) permits *= 2;
      var limit = FixedWindow.of(Rate.of(permits, length));
      var charge = TestPlans.charge(limit, "k");
      var cell = new WindowCell(charge.counter(), "k");
      cell.decide(new Charge(charge.counter(), "k", permits, 0), WordCell.LATEST);
      var state = (WindowState) cell.read();
      assertThat(state.count()).isEqualTo(permits);
      assertThat(state.end()).isEqualTo(limit.alignment().endAfter(WordCell.LATEST));
    }
  }

  @Provide
  Arbitrary<Limit> limits() {
    var rates =
        Combinators.combine(
                Arbitraries.longs().between(1, 1024),
                Arbitraries.of(1, 7, 60, 3_600, 86_400).map(Duration::ofSeconds))
            .as(Rate::of);
    var few = Arbitraries.longs().between(1, 50);
    Arbitrary<Limit> tokens = Combinators.combine(rates, few).as(TokenBucket::new);
    Arbitrary<Limit> queues =
        Combinators.combine(rates.map(LeakyBucket::of), few).as(LeakyBucket::withQueue);
    Arbitrary<Limit> windows = rates.map(FixedWindow::of);
    return Arbitraries.oneOf(tokens.filter(BucketCell::holds), queues.filter(BucketCell::holds))
        .flatMap(bucket -> Arbitraries.oneOf(Arbitraries.just(bucket), windows));
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
