package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Multiplication by the reciprocal equals division. */
class FastDivisionProperties {
  private static final long LARGEST = 1L << 60;

  @Property(tries = 5_000)
  void dividesExactly(
      @ForAll("divisors") long by, @ForAll("dividends") long dividend, @ForAll("near") long near) {
    var divisor = FastDivision.of(by);
    assertThat(divisor.floor(dividend)).isEqualTo(dividend / by);
    long multiple = dividend / by * by; // where a rounding error would show
    long other = Math.clamp(multiple + near, 0, LARGEST);
    assertThat(divisor.floor(other)).isEqualTo(other / by);
    long below = Math.clamp(other, 1 - by, LARGEST - by);
    assertThat(divisor.ceil(below)).isEqualTo(Math.ceilDiv(below, by));
  }

  @Example
  void negativeDividendAboveMinusDivisorRoundsUpToZero() {
    assertThat(FastDivision.of(1_000).ceil(-999)).isZero();
    assertThat(FastDivision.of(1_000).ceil(0)).isZero();
    assertThat(FastDivision.of(1_000).ceil(1)).isEqualTo(1);
  }

  @Provide
  Arbitrary<Long> divisors() {
    var powers = Arbitraries.integers().between(0, 53).map(n -> 1L << n);
    var beside = powers.map(n -> Math.max(1, n - 1));
    var beyond = powers.filter(n -> n < Bounds.MAX).map(n -> n + 1);
    return Arbitraries.oneOf(powers, beside, beyond, Arbitraries.longs().between(1, Bounds.MAX));
  }

  @Provide
  Arbitrary<Long> dividends() {
    return Arbitraries.longs().between(0, LARGEST);
  }

  @Provide
  Arbitrary<Long> near() {
    return Arbitraries.longs().between(-2, 2);
  }
}
