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

/** Limits as far out as they may be: the largest, slowest and oddest that are still valid. */
class AnyLimits extends DomainContextBase {
  private static final long LONGEST = Bounds.micros(Bounds.LONGEST);

  private static Arbitrary<Long> upTo(long most) {
    var magnitudes =
        Arbitraries.doubles().between(0, 1).map(x -> (long) Math.pow((double) most, x));
    return Arbitraries.oneOf(
        Arbitraries.longs().between(1, Math.min(most, 50)),
        magnitudes.map(x -> Math.clamp(x, 1, most)),
        Arbitraries.longs().between(Math.max(1, most - 20), most));
  }

  /** A part of what is allowed, often all of it. */
  private static Arbitrary<Double> parts() {
    return Arbitraries.oneOf(Arbitraries.of(0.0, 1.0), Arbitraries.doubles().between(0, 1));
  }

  private static long part(double part, long most) {
    return Math.clamp((long) (part * most), 1, most);
  }

  @Provide
  Arbitrary<Rate> rates() {
    return Combinators.combine(upTo(Bounds.MAX), upTo(LONGEST))
        .as((permits, period) -> Rate.of(permits, Duration.of(period, MICROS)));
  }

  private Arbitrary<Rate> bucketRates() {
    return rates().filter(1_000_000, rate -> mostPermits(rate) >= 1);
  }

  /** As many permits as can be repaid and counted. */
  private static long mostPermits(Rate rate) {
    long countable = (Bounds.MAX - rate.unitPermits) / rate.unitPeriod;
    return rate.repayable(Math.max(0, countable));
  }

  @Provide
  Arbitrary<TokenBucket> tokenBuckets() {
    return Combinators.combine(bucketRates(), parts())
        .as((rate, part) -> new TokenBucket(rate, part(part, mostPermits(rate))));
  }

  @Provide
  Arbitrary<LeakyBucket> leakyBuckets() {
    return Combinators.combine(bucketRates(), parts(), Arbitraries.of(0, 1, 2))
        .as((rate, part, kind) -> new LeakyBucket(rate, line(rate, part, kind)));
  }

  private static Queue line(Rate rate, double part, int kind) {
    long queue = mostPermits(rate) - 1;
    long micros =
        Math.min(
            (Bounds.MAX - rate.unitPermits - rate.unitPeriod) / rate.unitPermits,
            LONGEST - Math.ceilDiv(rate.unitPeriod, rate.unitPermits));
    if (kind == 1 && queue >= 1) return new Queue.Length(part(part, queue));
    if (kind == 2 && micros >= 1) return new Queue.Wait(Duration.of(part(part, micros), MICROS));
    return new Queue.None();
  }

  @Provide
  Arbitrary<FixedWindow> fixedWindows() {
    var month = new Window.Calendar(Window.Unit.MONTH, ZoneOffset.UTC);
    return Arbitraries.oneOf(
        rates().map(FixedWindow::of), upTo(Bounds.MAX).map(most -> new FixedWindow(most, month)));
  }

  @Provide
  Arbitrary<SlidingWindow> slidingWindows() {
    return Combinators.combine(
            upTo(LONGEST / 1_000), upTo(1_000), parts(), Arbitraries.of(Bound.class))
        .as((width, buckets, part, bound) -> {
          var window = Duration.of(width * buckets, MICROS);
          return new SlidingWindow(
              Rate.of(part(part, Bounds.MAX / width), window), Math.toIntExact(buckets), bound);
        });
  }

  @Provide
  Arbitrary<RollingWindow> rollingWindows() {
    return Combinators.combine(upTo(RollingWindow.MOST_PERMITS), upTo(LONGEST), parts())
        .as((permits, period, part) -> {
          var apart = Duration.of((long) (part * period), MICROS);
          return new RollingWindow(Rate.of(permits, Duration.of(period, MICROS)), apart);
        });
  }

  @Provide
  Arbitrary<Concurrency> concurrencies() {
    return upTo(Concurrency.MOST).map(Concurrency::of);
  }

  @Provide
  Arbitrary<Integer> instances() {
    return upTo(Integer.MAX_VALUE).map(Math::toIntExact);
  }
}
