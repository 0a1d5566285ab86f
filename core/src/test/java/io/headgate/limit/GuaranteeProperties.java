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

/** Each algorithm keeps its guarantee in every span between two requests. */
@Domain(LimitArbitraries.class)
class GuaranteeProperties {

  @Property
  void tokenBucketAdmitsAtMostBurstPlusRateInAnySpan(
      @ForAll TokenBucket limit, @ForAll History history) {
    assertKept(limit, Run.admitted(limit, history.forward()));
  }

  static void assertKept(TokenBucket limit, List<Turn> admitted) {
    var rate = limit.rate();
    for (int first = 0; first < admitted.size(); first++) {
      var sum = BigInteger.ZERO;
      for (var last : admitted.subList(first, admitted.size())) {
        sum = sum.add(BigInteger.valueOf(last.cost()));
        var span = BigInteger.valueOf(last.now() - admitted.get(first).now());
        var refilled = span.multiply(BigInteger.valueOf(rate.permits()));
        var period = BigInteger.valueOf(rate.periodMicros());
        var max = BigInteger.valueOf(limit.burst()).multiply(period).add(refilled);
        assertThat(sum.multiply(period)).isLessThanOrEqualTo(max);
      }
    }
  }

  @Property
  void fixedWindowAdmitsAtMostItsPermitsPerWindow(
      @ForAll FixedWindow limit, @ForAll History history) {
    assertKept(limit, Run.admitted(limit, history.forward()));
  }

  static void assertKept(FixedWindow limit, List<Turn> admitted) {
    var perWindow =
        admitted.stream()
            .collect(
                Collectors.groupingBy(
                    turn -> turn.now() / limit.window(), Collectors.summingLong(Turn::cost)));
    assertThat(perWindow.values()).allMatch(sum -> sum <= limit.permits());
  }

  @Property
  void slidingWindowAdmitsAtMostItsPermitsInItsGuaranteedSpan(
      @ForAll SlidingWindow limit, @ForAll History history) {
    assertKept(limit, Run.admitted(limit, history.forward()));
  }

  static void assertKept(SlidingWindow limit, List<Turn> admitted) {
    long width = limit.window() / limit.buckets();
    long span = limit.bound() == Bound.CONSERVATIVE ? limit.window() : limit.window() - width;
    // Both ends are included, since the guarantee has a microsecond to spare.
    assertThat(maxWithin(span, admitted)).isLessThanOrEqualTo(limit.capacity());
  }

  @Property
  void rollingWindowAdmitsAtMostItsPermitsInAnyWindow(
      @ForAll RollingWindow limit, @ForAll History history) {
    var admitted = Run.admitted(limit, history.forward());
    assertThat(maxWithin(limit.window() - 1, admitted)).isLessThanOrEqualTo(limit.capacity());
  }

  @Property
  void rollingWindowEnforcesItsMinimumInterval(
      @ForAll RollingWindow limit, @ForAll History history) {
    var admitted = Run.admitted(limit, history.forward());
    for (int i = 1; i < admitted.size(); i++) {
      assertThat(admitted.get(i).now() - admitted.get(i - 1).now())
          .isGreaterThanOrEqualTo(Bounds.micros(limit.minInterval()));
    }
  }

  @Property
  void concurrencyLimitHasAtMostItsMaximumInFlight(
      @ForAll Concurrency limit, @ForAll History history) {
    var admitted = Run.admitted(limit, history.forward());
    assertThat(maxWithin(limit.window() - 1, admitted)).isLessThanOrEqualTo(limit.max());
  }

  /** Returns the highest cost admitted within {@code span} of any request, both ends included. */
  private static long maxWithin(long span, List<Turn> admitted) {
    long max = 0;
    for (var first : admitted) {
      long sum =
          admitted.stream()
              .filter(turn -> turn.now() >= first.now() && turn.now() - first.now() <= span)
              .mapToLong(Turn::cost)
              .sum();
      max = Math.max(max, sum);
    }
    return max;
  }
}
