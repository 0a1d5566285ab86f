package io.headgate.limit;

import static java.time.temporal.ChronoUnit.MICROS;

import io.headgate.limit.LeakyBucket.Queue;
import io.headgate.limit.SlidingWindow.Bound;
import java.time.Duration;
import java.time.ZoneOffset;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Provide;
import net.jqwik.api.domains.DomainContextBase;

/** Arbitrary limits up to the bounds: the largest and slowest that are valid. */
class ExtremeLimits extends DomainContextBase {
  private static final long MAX_MICROS = Bounds.micros(Bounds.MAX_DURATION);

  private static Arbitrary<Long> upTo(long max) {
    var magnitudes = Arbitraries.doubles().between(0, 1).map(x -> (long) Math.pow((double) max, x));
    return Arbitraries.oneOf(
        Arbitraries.longs().between(1, Math.min(max, 50)),
        magnitudes.map(x -> Math.clamp(x, 1, max)),
        Arbitraries.longs().between(Math.max(1, max - 20), max));
  }

  /** A fraction from 0 to 1, often 0 or 1. */
  private static Arbitrary<Double> parts() {
    return Arbitraries.oneOf(Arbitraries.of(0.0, 1.0), Arbitraries.doubles().between(0, 1));
  }

  private static long part(double part, long max) {
    return Math.clamp((long) (part * max), 1, max);
  }

  @Provide
  Arbitrary<Rate> rates() {
    return Combinators.combine(upTo(Bounds.MAX_PERMITS), upTo(MAX_MICROS))
        .as((permits, period) -> Rate.of(permits, Duration.of(period, MICROS)));
  }

  private Arbitrary<Rate> bucketRates() {
    return rates().filter(1_000_000, rate -> maxPermits(rate) >= 1);
  }

  /** Returns the highest number of permits that can be represented for a rate. */
  private static long maxPermits(Rate rate) {
    long countable = (Bounds.MAX - rate.unitPermits) / rate.unitPeriod;
    return rate.repayable(Math.max(0, countable));
  }

  @Provide
  Arbitrary<TokenBucket> tokenBuckets() {
    return Combinators.combine(bucketRates(), parts())
        .as((rate, part) -> new TokenBucket(rate, part(part, maxPermits(rate))));
  }

  @Provide
  Arbitrary<LeakyBucket> leakyBuckets() {
    return Combinators.combine(bucketRates(), parts(), Arbitraries.of(0, 1, 2))
        .as((rate, part, kind) -> new LeakyBucket(rate, queue(rate, part, kind)));
  }

  private static Queue queue(Rate rate, double part, int kind) {
    long length = maxPermits(rate) - 1;
    long micros =
        Math.min(
            (Bounds.MAX - rate.unitPermits - rate.unitPeriod) / rate.unitPermits,
            MAX_MICROS - Math.ceilDiv(rate.unitPeriod, rate.unitPermits));
    if (kind == 1 && length >= 1) return new Queue.Length(part(part, length));
    if (kind == 2 && micros >= 1) return new Queue.Wait(Duration.of(part(part, micros), MICROS));
    return new Queue.None();
  }

  @Provide
  Arbitrary<FixedWindow> fixedWindows() {
    var month = new Window.Calendar(Window.Unit.MONTH, ZoneOffset.UTC);
    return Arbitraries.oneOf(
        rates().map(FixedWindow::of),
        upTo(Bounds.MAX_PERMITS).map(max -> new FixedWindow(max, month)));
  }

  @Provide
  Arbitrary<SlidingWindow> slidingWindows() {
    return Combinators.combine(
            upTo(MAX_MICROS / 1_000), upTo(1_000), parts(), Arbitraries.of(Bound.class))
        .as((width, buckets, part, bound) -> {
          var window = Duration.of(width * buckets, MICROS);
          return new SlidingWindow(
              Rate.of(part(part, Math.min(Bounds.MAX_PERMITS, Bounds.MAX / width)), window),
              Math.toIntExact(buckets),
              bound);
        });
  }

  @Provide
  Arbitrary<RollingWindow> rollingWindows() {
    return Combinators.combine(upTo(RollingWindow.MAX_PERMITS), upTo(MAX_MICROS), parts())
        .as((permits, period, part) -> {
          var apart = Duration.of((long) (part * period), MICROS);
          return new RollingWindow(Rate.of(permits, Duration.of(period, MICROS)), apart);
        });
  }

  @Provide
  Arbitrary<Concurrency> concurrencies() {
    return upTo(Concurrency.MAX_SLOTS).map(Concurrency::of);
  }

  @Provide
  Arbitrary<Integer> instances() {
    return upTo(Integer.MAX_VALUE).map(Math::toIntExact);
  }
}
