package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Run.Turn;
import io.headgate.limit.SlidingWindow.Bound;
import java.math.BigInteger;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

/** What each algorithm promises is never exceeded: not in any span between any two requests. */
@Domain(Histories.class)
class BoundsProperties {

  @Property
  void aTokenBucketAdmitsAtMostItsBurstAndItsRateInAnySpan(
      @ForAll TokenBucket limit, @ForAll History history) {
    keeps(limit, Run.admitted(limit, history.forward()));
  }

  static void keeps(TokenBucket limit, List<Turn> admitted) {
    var rate = limit.rate();
    for (int first = 0; first < admitted.size(); first++) {
      var sum = BigInteger.ZERO;
      for (var last : admitted.subList(first, admitted.size())) {
        sum = sum.add(BigInteger.valueOf(last.cost()));
        var span = BigInteger.valueOf(last.now() - admitted.get(first).now());
        var refilled = span.multiply(BigInteger.valueOf(rate.permits()));
        var period = BigInteger.valueOf(rate.periodMicros());
        var most = BigInteger.valueOf(limit.burst()).multiply(period).add(refilled);
        assertThat(sum.multiply(period)).isLessThanOrEqualTo(most);
      }
    }
  }

  @Property
  void aFixedWindowAdmitsAtMostItsPermitsPerWindow(
      @ForAll FixedWindow limit, @ForAll History history) {
    keeps(limit, Run.admitted(limit, history.forward()));
  }

  static void keeps(FixedWindow limit, List<Turn> admitted) {
    var perWindow =
        admitted.stream()
            .collect(
                Collectors.groupingBy(
                    turn -> turn.now() / limit.window(), Collectors.summingLong(Turn::cost)));
    assertThat(perWindow.values()).allMatch(sum -> sum <= limit.permits());
  }

  @Property
  void aSlidingWindowAdmitsAtMostItsPermitsInTheSpanItPromises(
      @ForAll SlidingWindow limit, @ForAll History history) {
    keeps(limit, Run.admitted(limit, history.forward()));
  }

  static void keeps(SlidingWindow limit, List<Turn> admitted) {
    long width = limit.window() / limit.buckets();
    long span = limit.bound() == Bound.CONSERVATIVE ? limit.window() : limit.window() - width;
    // Both ends belong to it: the promise leaves a microsecond to spare.
    assertThat(mostWithin(span, admitted)).isLessThanOrEqualTo(limit.capacity());
  }

  @Property
  void aRollingWindowAdmitsAtMostItsPermitsInAnyWindow(
      @ForAll RollingWindow limit, @ForAll History history) {
    var admitted = Run.admitted(limit, history.forward());
    assertThat(mostWithin(limit.window() - 1, admitted)).isLessThanOrEqualTo(limit.capacity());
  }

  @Property
  void aRollingWindowKeepsRequestsApartByItsInterval(
      @ForAll RollingWindow limit, @ForAll History history) {
    var admitted = Run.admitted(limit, history.forward());
    for (int i = 1; i < admitted.size(); i++) {
      assertThat(admitted.get(i).now() - admitted.get(i - 1).now())
          .isGreaterThanOrEqualTo(Bounds.micros(limit.minInterval()));
    }
  }

  @Property
  void aConcurrencyLimitHasAtMostItsMaximumInFlight(
      @ForAll Concurrency limit, @ForAll History history) {
    var admitted = Run.admitted(limit, history.forward());
    assertThat(mostWithin(limit.window() - 1, admitted)).isLessThanOrEqualTo(limit.max());
  }

  /** The most that was admitted from any request on for so long, both ends included. */
  private static long mostWithin(long span, List<Turn> admitted) {
    long most = 0;
    for (var first : admitted) {
      long sum =
          admitted.stream()
              .filter(turn -> turn.now() >= first.now() && turn.now() - first.now() <= span)
              .mapToLong(Turn::cost)
              .sum();
      most = Math.max(most, sum);
    }
    return most;
  }
}
