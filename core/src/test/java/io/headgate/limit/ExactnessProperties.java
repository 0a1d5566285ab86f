package io.headgate.limit;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.domains.Domain;
import org.junit.jupiter.api.Test;

/** Every number fits a double exactly, so that limits written in Lua compute the same ones. */
class ExactnessProperties {
  private static final long MAX_MICROS = Bounds.micros(Bounds.MAX_DURATION);

  @Property(tries = 3_000)
  @Domain(LimitArbitraries.class)
  void noStateOutlivesACentury(@ForAll Limit limit, @ForAll History history) {
    long latest = 0;
    for (var turn : Run.of(limit, history)) {
      latest = Math.max(latest, turn.now());
      assertThat(turn.step().state().freshAt()).isLessThanOrEqualTo(latest + MAX_MICROS);
      assertThat(limit.window()).isBetween(1L, MAX_MICROS);
    }
  }

  /** All times are exact until the year 2155. */
  @Test
  void aCenturyAfter2155IsStillExact() {
    long then = MICROS.between(Instant.EPOCH, Instant.parse("2155-01-01T00:00:00Z"));
    assertThat(then + MAX_MICROS).isLessThan(Bounds.MAX);
  }

  @Property(tries = 20_000)
  void everyValidBucketIsCountedExactly(@ForAll("anyBuckets") BucketNumbers numbers) {
    Limit limit;
    try {
      limit = numbers.limit();
    } catch (IllegalArgumentException tooLarge) {
      assertThat(tooLarge).hasMessageMatching(".*(2\\^5[23]|100 years).*");
      return;
    }
    var rate = numbers.rate();
    for (long cost : new long[] {1, (limit.capacity() + 1) / 2, limit.capacity()}) {
      var state = (BucketState) limit.step(State.FRESH, 0, cost).state();
      assertThat(state.slack()).isBetween(0L, rate.unitPermits - 1);
      assertThat(state.emptyAt()).isBetween(1L, MAX_MICROS);
      // The largest intermediate products and sums.
      assertThat(Math.multiplyExact(state.emptyAt(), rate.unitPermits))
          .isLessThanOrEqualTo(Bounds.MAX);
      assertThat(Math.multiplyExact(state.refillTime(), rate.unitPermits))
          .isLessThanOrEqualTo(Bounds.MAX);
      long units = Math.multiplyExact(limit.capacity(), rate.unitPeriod);
      assertThat(units + rate.unitPermits - 1).isLessThanOrEqualTo(Bounds.MAX);
    }
  }

  record BucketNumbers(long permits, long period, long burst, boolean leaky) {
    Rate rate() {
      return Rate.of(permits, Duration.of(period, MICROS));
    }

    Limit limit() {
      return leaky ? LeakyBucket.of(rate()).withQueue(burst) : new TokenBucket(rate(), burst);
    }
  }

  /** Parameters of every magnitude, so that many are just inside or outside of the bounds. */
  @Provide
  Arbitrary<BucketNumbers> anyBuckets() {
    return Combinators.combine(
            ofAnySize(Bounds.MAX),
            ofAnySize(MAX_MICROS),
            ofAnySize(Bounds.MAX),
            Arbitraries.of(true, false))
        .as(BucketNumbers::new);
  }

  private static Arbitrary<Long> ofAnySize(long max) {
    return Combinators.combine(
            Arbitraries.integers().between(0, 53),
            Arbitraries.doubles().between(0.5, 1).ofScale(16))
        .as((bits, part) -> Math.clamp((long) (part * (1L << bits)), 1, max));
  }
}
