package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

/**
 * The parts of a limit that is divided among instances together admit no more than the limit. The
 * arbitraries contain the edge cases; those that jqwik adds would dominate.
 */
@Domain(ExtremeLimits.class)
class DividedLimitProperties {
  private static final BigInteger MAX_MICROS =
      BigInteger.valueOf(Bounds.micros(Bounds.MAX_DURATION));

  @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
  void partIsAtMostTheCapacityDividedOrOne(@ForAll Limit limit, @ForAll int n) {
    var part = limit.dividedBy(n);
    assertThat(part.capacity()).isPositive();
    assertThat(times(part.capacity(), n)).isLessThanOrEqualTo(most(limit.capacity(), n));
    assertThat(part.algorithm()).isEqualTo(limit.algorithm());
  }

  @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
  void partsOfATokenBucketAreTogetherNoFaster(@ForAll TokenBucket limit, @ForAll int n) {
    requireNoFaster(limit.rate(), limit.dividedBy(n).rate(), n);
  }

  @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
  void partsOfALeakyBucketAreTogetherNoFaster(@ForAll LeakyBucket limit, @ForAll int n) {
    requireNoFaster(limit.rate(), limit.dividedBy(n).rate(), n);
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void partOfALeakyBucketHasNoLongerWait(@ForAll LeakyBucket limit, @ForAll int n) {
    assertThat(maxWait(limit.dividedBy(n))).isLessThanOrEqualTo(maxWait(limit));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void partOfAWindowHasTheSameLength(
      @ForAll FixedWindow fixed,
      @ForAll SlidingWindow sliding,
      @ForAll RollingWindow rolling,
      @ForAll int n) {
    assertThat(fixed.dividedBy(n).alignment()).isEqualTo(fixed.alignment());
    assertThat(sliding.dividedBy(n).window()).isEqualTo(sliding.window());
    assertThat(rolling.dividedBy(n).window()).isEqualTo(rolling.window());
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void limitDividedByOneIsItself(@ForAll Limit limit) {
    assertThat(limit.dividedBy(1)).isSameAs(limit);
  }

  /** A part works like any limit, even at the bounds of its parameters. */
  @Property(tries = 5_000, edgeCases = EdgeCasesMode.NONE)
  void partAdmitsItsCapacityAndNoMore(@ForAll Limit limit, @ForAll int n) {
    var part = limit.dividedBy(n);
    var all = new Step(State.FRESH, new Outcome.Passed(part.capacity(), 0, 0));
    // At max the maximum cost per request.
    for (long left = part.capacity(); left > 0; left -= part.maxCost()) {
      all = part.step(all.state(), 0, Math.min(left, part.maxCost()));
      assertThat(all.outcome()).isInstanceOf(Outcome.Passed.class);
    }
    assertThat(part.step(all.state(), 0, 1).outcome())
        .isInstanceOf(all.outcome().remaining() > 0 ? Outcome.Passed.class : Outcome.Refused.class);
  }

  private static void requireNoFaster(Rate whole, Rate part, int n) {
    var interval = BigInteger.valueOf(part.unitPeriod).divide(BigInteger.valueOf(part.unitPermits));
    if (interval.equals(MAX_MICROS)) return; // the slowest rate
    assertThat(times(whole.unitPeriod, n).multiply(BigInteger.valueOf(part.unitPermits)))
        .isLessThanOrEqualTo(
            times(part.unitPeriod, 1).multiply(BigInteger.valueOf(whole.unitPermits)));
  }

  private static long maxWait(LeakyBucket limit) {
    return switch (limit.queue()) {
      case LeakyBucket.Queue.None none -> 0;
      case LeakyBucket.Queue.Length(long requests) ->
          Math.ceilDiv(requests * limit.rate().unitPeriod, limit.rate().unitPermits);
      case LeakyBucket.Queue.Wait(var max) -> Bounds.micros(max);
    };
  }

  private static BigInteger times(long a, int b) {
    return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
  }

  private static BigInteger most(long a, long b) {
    return BigInteger.valueOf(Math.max(a, b));
  }
}
