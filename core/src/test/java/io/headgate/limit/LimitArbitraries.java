package io.headgate.limit;

import static java.time.temporal.ChronoUnit.MICROS;

import io.headgate.limit.LeakyBucket.Queue;
import io.headgate.limit.SlidingWindow.Bound;
import io.headgate.limit.Window.Calendar;
import io.headgate.limit.Window.Unit;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Provide;
import net.jqwik.api.domains.DomainContextBase;

/**
 * Arbitrary limits of each algorithm, and histories of requests.
 *
 * <p>Half of the limits have periods of a few microseconds, so that random histories reach every
 * edge case. The others are usual rates and rates that are hard to count exactly.
 */
class LimitArbitraries extends DomainContextBase {
  static final List<Rate> RATES =
      List.of(
          Rate.perDay(1),
          Rate.perSecond(1_000_000),
          Rate.perDay(1_000_000),
          Rate.of(3, Duration.ofSeconds(7)),
          Rate.perSecond(999_983),
          Rate.of(1_000, Duration.ofMillis(1)),
          Rate.perMinute(100));

  /** The year 2026, the epoch, and just before the last time of a history. */
  private static final List<Long> STARTS =
      List.of(1_792_000_000_123_456L, 0L, Move.LAST_MICROS - 1_000_000_007L);

  @Provide
  Arbitrary<History> histories() {
    return Combinators.combine(
            Arbitraries.of(STARTS), Move.arbitrary().list().ofMinSize(1).ofMaxSize(40))
        .as(History::new)
        .withoutEdgeCases();
  }

  @Provide
  Arbitrary<Rate> rates() {
    var small = Combinators.combine(longs(1, 20), micros(1, 100)).as(Rate::of);
    return Arbitraries.oneOf(small, Arbitraries.of(RATES));
  }

  @Provide
  Arbitrary<TokenBucket> tokenBuckets() {
    var burst = Arbitraries.oneOf(longs(1, 20), longs(1, 30_000));
    return Combinators.combine(rates(), burst).as(TokenBucket::new);
  }

  @Provide
  Arbitrary<LeakyBucket> leakyBuckets() {
    Arbitrary<Queue> queue =
        Arbitraries.oneOf(
            Arbitraries.just(new Queue.None()),
            longs(1, 20).map(Queue.Length::new),
            micros(1, 200).map(Queue.Wait::new),
            micros(1, 9_000_000_000L).map(Queue.Wait::new));
    return Combinators.combine(rates(), queue).as(LeakyBucket::new);
  }

  @Provide
  Arbitrary<FixedWindow> fixedWindows() {
    return rates().map(FixedWindow::of);
  }

  /** Zones whose transitions are usual and never at midnight. */
  @Provide
  Arbitrary<Calendar> calendars() {
    var zones = Arbitraries.of("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata");
    return Combinators.combine(Arbitraries.of(Unit.class), zones.map(ZoneId::of)).as(Calendar::new);
  }

  @Provide
  Arbitrary<SlidingWindow> slidingWindows() {
    var small =
        Combinators.combine(longs(1, 30), longs(1, 50), longs(1, 12), Arbitraries.of(Bound.class))
            .as(LimitArbitraries::sliding);
    var real =
        Combinators.combine(
                Arbitraries.of(
                    Rate.perMinute(100),
                    Rate.perSecond(1_000_000),
                    Rate.perDay(1_000_000),
                    Rate.perDay(1),
                    Rate.perHour(999_983)),
                Arbitraries.of(10, 60).map(Integer::intValue),
                Arbitraries.of(Bound.class))
            .filter((rate, buckets, bound) -> rate.periodMicros() % buckets == 0)
            .as(SlidingWindow::new);
    return Arbitraries.oneOf(small, real);
  }

  private static SlidingWindow sliding(long permits, long width, long buckets, Bound bound) {
    return new SlidingWindow(
        Rate.of(permits, Duration.of(width * buckets, MICROS)), (int) buckets, bound);
  }

  @Provide
  Arbitrary<RollingWindow> rollingWindows() {
    return Combinators.combine(
            rates(),
            Arbitraries.oneOf(
                Arbitraries.just(0.0), Arbitraries.doubles().between(0, 1).ofScale(6)))
        .as((rate, part) ->
            RollingWindow.of(rate)
                .withMinInterval(Duration.of((long) (part * rate.periodMicros()), MICROS)));
  }

  @Provide
  Arbitrary<Concurrency> concurrencies() {
    var lease = Arbitraries.oneOf(micros(1, 100), Arbitraries.just(Concurrency.DEFAULT_LEASE));
    return Combinators.combine(longs(1, 20), lease).as(Concurrency::new);
  }

  /** Adaptive limits without room to adapt, which have the properties of every other limit. */
  @Provide
  Arbitrary<AdaptiveConcurrency> adaptiveConcurrencies() {
    return concurrencies()
        .map(
            limit -> new AdaptiveConcurrency(limit.max(), limit.max(), limit.max(), limit.lease()));
  }

  private static Arbitrary<Long> longs(long min, long max) {
    return Arbitraries.longs().between(min, max);
  }

  private static Arbitrary<Duration> micros(long min, long max) {
    return longs(min, max).map(n -> Duration.of(n, MICROS));
  }
}
