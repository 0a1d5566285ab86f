package io.headgate.limit;

import static io.headgate.limit.Bounds.require;
import static java.time.temporal.ChronoUnit.MICROS;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Objects;

/**
 * So many permits per period, such as 100 per minute.
 *
 * <p>Keeps the numbers as they were given, and beside them the same ratio in lowest terms:
 * 1,000,000 per day is 25 per 2,160,000 µs, and only so do its products stay below 2^53.
 */
public final class Rate {
  private static final long LONGEST = Bounds.micros(Bounds.LONGEST);

  private final long permits;
  private final Duration period;
  private final long periodMicros;
  final long unitPermits;
  final long unitPeriod;
  private final FastDivision byPermits;
  private final FastDivision byPeriod;

  private Rate(long permits, Duration period) {
    require(
        permits >= 1,
        "a rate needs at least 1 permit per period, got %d; to let nothing pass, match the callers"
            + " and refuse them before they are limited",
        permits);
    require(permits <= Bounds.MAX, "a rate may have at most 2^53 permits, got %d", permits);
    this.permits = permits;
    this.period = period;
    Bounds.requireLength("the period of a rate", period);
    this.periodMicros = Bounds.micros(period);
    long divisor = Bounds.gcd(permits, periodMicros);
    this.unitPermits = permits / divisor;
    this.unitPeriod = periodMicros / divisor;
    this.byPermits = FastDivision.of(unitPermits);
    this.byPeriod = FastDivision.of(unitPeriod);
  }

  public static Rate of(long permits, Duration period) {
    return new Rate(permits, period);
  }

  public static Rate perSecond(long permits) {
    return of(permits, Duration.ofSeconds(1));
  }

  public static Rate perMinute(long permits) {
    return of(permits, Duration.ofMinutes(1));
  }

  public static Rate perHour(long permits) {
    return of(permits, Duration.ofHours(1));
  }

  public static Rate perDay(long permits) {
    return of(permits, Duration.ofDays(1));
  }

  public long permits() {
    return permits;
  }

  public Duration period() {
    return period;
  }

  /** The permits in lowest terms: 1 of 100 per minute, which is 1 per 600 ms. */
  public long permitsInLowestTerms() {
    return unitPermits;
  }

  /** The period in lowest terms, in microseconds: 600,000 of 100 per minute. */
  public long periodInLowestTerms() {
    return unitPeriod;
  }

  public long periodMicros() {
    return periodMicros;
  }

  /**
   * The n-th part of this rate: the same permits in n times the period, in lowest terms. Where that
   * can't be counted exactly, one permit in as much time as it takes, rounded up.
   */
  Rate dividedBy(int n) {
    long divisor = Bounds.gcd(unitPermits, n);
    long times = n / divisor;
    if (unitPeriod <= LONGEST / times) {
      var part = of(unitPermits / divisor, Duration.of(unitPeriod * times, MICROS));
      if (part.canRepay(part.unitPeriod)) return part;
    }
    var interval =
        BigInteger.valueOf(unitPeriod)
            .multiply(BigInteger.valueOf(n))
            .add(BigInteger.valueOf(unitPermits - 1))
            .divide(BigInteger.valueOf(unitPermits))
            .min(BigInteger.valueOf(LONGEST));
    return of(1, Duration.of(interval.longValueExact(), MICROS));
  }

  /** How many permits so many units are, rounded down. */
  long permitsIn(long units) {
    return byPeriod.floor(units);
  }

  /** The time in which so many units are repaid, rounded down. */
  long timeWithin(long units) {
    return byPermits.floor(units);
  }

  /** The time in which so many units are repaid, rounded up. */
  long timeFor(long units) {
    return unitPermits == 1 ? units : byPermits.ceil(units);
  }

  /** So many permits or, if fewer, those that are repaid within the longest time there is. */
  long repayable(long permits) {
    var most =
        BigInteger.valueOf(LONGEST)
            .multiply(BigInteger.valueOf(unitPermits))
            .divide(BigInteger.valueOf(unitPeriod));
    return BigInteger.valueOf(permits).min(most).longValueExact();
  }

  /** Whether a debt of so many units is exact as a time from now, and with its slack on top. */
  boolean canRepay(long units) {
    return units <= Bounds.MAX - unitPermits && Math.ceilDiv(units, unitPermits) <= LONGEST;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Rate rate && permits == rate.permits && period.equals(rate.period);
  }

  @Override
  public int hashCode() {
    return Objects.hash(permits, period);
  }

  @Override
  public String toString() {
    return permits + " per " + period;
  }
}
