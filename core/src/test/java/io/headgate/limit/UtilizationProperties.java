package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class UtilizationProperties {
  private static final BigInteger ALL = BigInteger.valueOf(Utilization.ALL);
  private static final long MOST = 1L << 53;

  @Property(tries = 5_000)
  void utilizationIsTheExactFractionRoundedUp(
      @ForAll @LongRange(min = 0, max = MOST) long part,
      @ForAll @LongRange(min = 1, max = MOST) long whole) {
    var numerator = BigInteger.valueOf(Math.min(part, whole)).multiply(ALL);
    var exact = numerator.add(BigInteger.valueOf(whole - 1)).divide(BigInteger.valueOf(whole));
    assertThat(Utilization.of(part, whole)).isEqualTo(exact.longValueExact());
  }

  @Property(tries = 5_000)
  void conversionToTheSameWholeIsLossless(
      @ForAll @LongRange(min = 0, max = Utilization.ALL) long part,
      @ForAll @LongRange(min = 1, max = Utilization.ALL) long whole) {
    long taken = Math.min(part, whole);
    assertThat(Utilization.scale(Utilization.of(taken, whole), whole)).isEqualTo(taken);
  }

  @Property(tries = 5_000)
  void conversionGrantsNothingAndLosesAtMostAMillionth(
      @ForAll @LongRange(min = 0, max = MOST) long part,
      @ForAll @LongRange(min = 1, max = MOST) long whole) {
    long taken = Math.min(part, whole);
    long back = Utilization.scale(Utilization.of(taken, whole), whole);
    assertThat(back).isBetween(taken, taken + whole / Utilization.ALL);
  }

  @Property(tries = 5_000)
  void scaleIsProportional(
      @ForAll @LongRange(min = 0, max = Utilization.ALL) long share,
      @ForAll @LongRange(min = 1, max = MOST) long whole) {
    var product = BigInteger.valueOf(share).multiply(BigInteger.valueOf(whole));
    var down = product.divide(ALL).longValueExact();
    assertThat(Utilization.scale(share, whole)).isBetween(down, Math.min(whole, down + 1));
  }

  /**
   * Scaling returns the largest part of that fraction or, if there is none, the next larger part.
   */
  @Property(tries = 5_000)
  void scaleNeverRoundsDownUsage(
      @ForAll @LongRange(min = 1, max = Utilization.ALL) long share,
      @ForAll @LongRange(min = 1, max = MOST) long whole) {
    long part = Utilization.scale(share, whole);
    assertThat(part).isBetween(1L, whole);
    assertThat(Utilization.of(part - 1, whole))
        .isLessThan(whole > Utilization.ALL ? share + 1 : share);
    if (part < whole) assertThat(Utilization.of(part + 1, whole)).isGreaterThan(share);
  }

  @Property(tries = 5_000)
  void utilizationSurvivesScaling(
      @ForAll @LongRange(min = 0, max = Utilization.ALL) long share,
      @ForAll @LongRange(min = 1, max = MOST) long whole) {
    long again = Utilization.of(Utilization.scale(share, whole), whole);
    assertThat(again).isGreaterThanOrEqualTo(share);
    assertThat(Utilization.scale(again, whole)).isEqualTo(Utilization.scale(share, whole));
  }
}
