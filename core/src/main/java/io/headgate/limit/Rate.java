package io.headgate.limit;

import static io.headgate.limit.Bounds.require;
import static java.time.temporal.ChronoUnit.MICROS;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Objects;

/**
 * A number of permits per period, such as 100 per minute. Immutable.
 *
 * <p>Keeps the numbers as given and the same ratio in lowest terms, which keeps products below
 * 2^53. For example, 1,000,000 per day is 25 per 2,160,000 µs.
 */
public final class Rate {
  private static final long MAX_MICROS = Bounds.micros(Bounds.MAX_DURATION);

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
        "a rate needs at least 1 permit per period, got %d; to let nothing pass, use limit: deny",
        permits);
    require(
        permits <= Bounds.MAX_PERMITS,
        "a rate may have at most 2^52 - 1 permits, which are counted exactly, got %d",
        permits);
    this.permits = permits;
    this.period = period;
    Bounds.requireDuration("the period of a rate", period);
    this.periodMicros = Bounds.micros(period);
    long divisor = Bounds.gcd(permits, periodMicros);
    this.unitPermits = permits / divisor;
    this.unitPeriod = periodMicros / divisor;
    this.byPermits = FastDivision.of(unitPermits);
    this.byPeriod = FastDivision.of(unitPeriod);
  }

  /**
   * Creates a rate.
   *
   * @param permits 1 to 2^52 - 1
   * @param period a whole number of microseconds, at most 100 years
   * @throws IllegalArgumentException if a parameter is out of range
   */
  public static Rate of(long permits, Duration period) {
    return new Rate(permits, period);
  }

  /** Creates a rate per second. */
  public static Rate perSecond(long permits) {
    return of(permits, Duration.ofSeconds(1));
  }

  /** Creates a rate per minute. */
  public static Rate perMinute(long permits) {
    return of(permits, Duration.ofMinutes(1));
  }

  /** Creates a rate per hour. */
  public static Rate perHour(long permits) {
    return of(permits, Duration.ofHours(1));
  }

  /** Creates a rate per 24 hours. */
  public static Rate perDay(long permits) {
    return of(permits, Duration.ofDays(1));
  }

  /** Returns the permits of one period, as given. */
  public long permits() {
    return permits;
  }

  /** Returns the period, as given. */
  public Duration period() {
    return period;
  }

  /** Returns the permits in lowest terms: 1 for 100 per minute, which equals 1 per 600 ms. */
  public long permitsInLowestTerms() {
    return unitPermits;
  }

  /** Returns the period in lowest terms, in microseconds: 600,000 for 100 per minute. */
  public long periodInLowestTerms() {
    return unitPeriod;
  }

  /** Returns the period in microseconds. */
  public long periodMicros() {
    return periodMicros;
  }

  /**
   * Returns the n-th part of this rate: the same permits in n times the period, in lowest terms. If
   * that can't be represented exactly, one permit per interval, with the interval rounded up.
   */
  Rate dividedBy(int n) {
    long divisor = Bounds.gcd(unitPermits, n);
    long times = n / divisor;
    if (unitPeriod <= MAX_MICROS / times) {
      var part = of(unitPermits / divisor, Duration.of(unitPeriod * times, MICROS));
      if (part.canRepay(part.unitPeriod)) return part;
    }
    var interval =
        BigInteger.valueOf(unitPeriod)
            .multiply(BigInteger.valueOf(n))
            .add(BigInteger.valueOf(unitPermits - 1))
            .divide(BigInteger.valueOf(unitPermits))
            .min(BigInteger.valueOf(MAX_MICROS));
    return of(1, Duration.of(interval.longValueExact(), MICROS));
  }

  /**
   * Returns a part of this rate, in thousandths and in lowest terms. If a burst at that rate can't
   * be represented exactly, one permit per interval, with the interval rounded up.
   */
  Rate partOf(int permille, long burst) {
    var permits = BigInteger.valueOf(unitPermits).multiply(BigInteger.valueOf(permille));
    var micros = BigInteger.valueOf(unitPeriod).multiply(BigInteger.valueOf(1_000));
    var divisor = permits.gcd(micros);
    var max = BigInteger.valueOf(MAX_MICROS);
    var most = BigInteger.valueOf(Bounds.MAX_PERMITS);
    if (micros.divide(divisor).compareTo(max) <= 0
        && permits.divide(divisor).compareTo(most) <= 0) {
      var period = Duration.of(micros.divide(divisor).longValueExact(), MICROS);
      var part = of(permits.divide(divisor).longValueExact(), period);
      if (burst <= Bounds.MAX / part.unitPeriod && part.canRepay(burst * part.unitPeriod))
        return part;
    }
    var interval = micros.add(permits).subtract(BigInteger.ONE).divide(permits).min(max);
    return of(1, Duration.of(interval.longValueExact(), MICROS));
  }

  /** Returns the permits that a number of units is worth, rounded down. */
  long permitsIn(long units) {
    return byPeriod.floor(units);
  }

  /** Returns the microseconds in which a number of units is repaid, rounded down. */
  long timeWithin(long units) {
    return byPermits.floor(units);
  }

  /** Returns the microseconds in which a number of units is repaid, rounded up. */
  long timeFor(long units) {
    return unitPermits == 1 ? units : byPermits.ceil(units);
  }

  /** Returns {@code permits}, or the number of permits that are repaid in 100 years if lower. */
  long repayable(long permits) {
    var max =
        BigInteger.valueOf(MAX_MICROS)
            .multiply(BigInteger.valueOf(unitPermits))
            .divide(BigInteger.valueOf(unitPeriod));
    return BigInteger.valueOf(permits).min(max).longValueExact();
  }

  /** Returns whether a debt, with its slack, can be represented exactly as a time from now. */
  boolean canRepay(long units) {
    return units <= Bounds.MAX - unitPermits && Math.ceilDiv(units, unitPermits) <= MAX_MICROS;
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
