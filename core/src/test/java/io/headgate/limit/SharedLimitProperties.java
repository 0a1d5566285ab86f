package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

/**
 * A limit shared out among instances: together they let no more pass than it would. The edges are
 * in what is tried anyway; those that jqwik would add leave room for nothing else.
 */
@Domain(AnyLimits.class)
class SharedLimitProperties {
  private static final BigInteger LONGEST = BigInteger.valueOf(Bounds.micros(Bounds.LONGEST));

  @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
  void everyLimitHasAShareThatIsNoMoreThanItsPartOrOne(@ForAll Limit limit, @ForAll int n) {
    var share = limit.dividedBy(n);
    assertThat(share.capacity()).isPositive();
    assertThat(times(share.capacity(), n)).isLessThanOrEqualTo(most(limit.capacity(), n));
    assertThat(share.algorithm()).isEqualTo(limit.algorithm());
  }

  @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
  void theSharesOfABucketAreTogetherNoFasterThanIt(@ForAll TokenBucket limit, @ForAll int n) {
    requireNoFaster(limit.rate(), limit.dividedBy(n).rate(), n);
  }

  @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
  void theSharesOfALeakyBucketAreTogetherNoFasterThanIt(@ForAll LeakyBucket limit, @ForAll int n) {
    requireNoFaster(limit.rate(), limit.dividedBy(n).rate(), n);
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void nobodyWaitsLongerInTheLineOfAShare(@ForAll LeakyBucket limit, @ForAll int n) {
    assertThat(longestWait(limit.dividedBy(n))).isLessThanOrEqualTo(longestWait(limit));
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void aWindowSharedOutIsAsLong(
      @ForAll FixedWindow fixed,
      @ForAll SlidingWindow sliding,
      @ForAll RollingWindow rolling,
      @ForAll int n) {
    assertThat(fixed.dividedBy(n).cut()).isEqualTo(fixed.cut());
    assertThat(sliding.dividedBy(n).window()).isEqualTo(sliding.window());
    assertThat(rolling.dividedBy(n).window()).isEqualTo(rolling.window());
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void theOnlyInstanceHasTheLimitItself(@ForAll Limit limit) {
    assertThat(limit.dividedBy(1)).isSameAs(limit);
  }

  /** A share can be asked like any limit, also where its numbers are at the edge. */
  @Property(tries = 5_000, edgeCases = EdgeCasesMode.NONE)
  void aShareLetsItsCapacityPassAndNoMore(@ForAll Limit limit, @ForAll int n) {
    var share = limit.dividedBy(n);
    var all = new Step(State.FRESH, new Outcome.Passed(share.capacity(), 0, 0));
    // At most as much at once as one request may take.
    for (long left = share.capacity(); left > 0; left -= share.highestCost()) {
      all = share.step(all.state(), 0, Math.min(left, share.highestCost()));
      assertThat(all.outcome()).isInstanceOf(Outcome.Passed.class);
    }
    assertThat(share.step(all.state(), 0, 1).outcome())
        .isInstanceOf(all.outcome().remaining() > 0 ? Outcome.Passed.class : Outcome.Refused.class);
  }

  private static void requireNoFaster(Rate whole, Rate share, int n) {
    var interval =
        BigInteger.valueOf(share.unitPeriod).divide(BigInteger.valueOf(share.unitPermits));
    if (interval.equals(LONGEST)) return; // the slowest there is
    assertThat(times(whole.unitPeriod, n).multiply(BigInteger.valueOf(share.unitPermits)))
        .isLessThanOrEqualTo(
            times(share.unitPeriod, 1).multiply(BigInteger.valueOf(whole.unitPermits)));
  }

  private static long longestWait(LeakyBucket limit) {
    return switch (limit.line()) {
      case LeakyBucket.Queue.None none -> 0;
      case LeakyBucket.Queue.Length(long requests) ->
          Math.ceilDiv(requests * limit.rate().unitPeriod, limit.rate().unitPermits);
      case LeakyBucket.Queue.Wait(var longest) -> Bounds.micros(longest);
    };
  }

  private static BigInteger times(long a, int b) {
    return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
  }

  private static BigInteger most(long a, long b) {
    return BigInteger.valueOf(Math.max(a, b));
  }
}
