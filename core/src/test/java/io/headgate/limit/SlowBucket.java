package io.headgate.limit;

import static java.math.BigInteger.ZERO;

import io.headgate.limit.LeakyBucket.Queue;
import java.math.BigInteger;

/** Token and leaky bucket: a debt, as an exact fraction whose denominator is the period. */
final class SlowBucket extends Slow {
  private final BigInteger permits;
  private final BigInteger period;
  private final BigInteger largest;
  private final boolean queues;
  private BigInteger debt = ZERO; // as it was after the last charge
  private long chargedAt;

  private SlowBucket(Rate rate, BigInteger largest, boolean queues) {
    this.permits = BigInteger.valueOf(rate.permits());
    this.period = BigInteger.valueOf(rate.periodMicros());
    this.largest = largest;
    this.queues = queues;
  }

  static SlowBucket of(TokenBucket limit) {
    return new SlowBucket(limit.rate(), product(limit.burst(), limit.rate().periodMicros()), false);
  }

  static SlowBucket of(LeakyBucket limit) {
    var rate = limit.rate();
    var inLine =
        switch (limit.line()) {
          case Queue.None none -> ZERO;
          case Queue.Length(long requests) -> product(requests, rate.periodMicros());
          case Queue.Wait(var longest) -> product(Bounds.micros(longest), rate.permits());
        };
    return new SlowBucket(rate, BigInteger.valueOf(rate.periodMicros()).add(inLine), true);
  }

  @Override
  long capacity() {
    return largest.divide(period).longValueExact();
  }

  @Override
  long room(long now) {
    return largest.subtract(debt(now)).max(ZERO).divide(period).longValueExact();
  }

  @Override
  boolean fresh(long now) {
    return debt(now).signum() == 0;
  }

  @Override
  void take(long now, long cost) {
    debt = debt(now).add(product(cost, period.longValueExact()));
    chargedAt = now;
  }

  @Override
  long delay(long now) {
    if (!queues) return 0;
    var wholeAndRest = debt(now).divideAndRemainder(permits);
    return wholeAndRest[0].longValueExact() + wholeAndRest[1].signum();
  }

  /** Before the last charge, as a clock that stepped back sees it, the debt was larger still. */
  private BigInteger debt(long now) {
    if (debt.signum() == 0) return ZERO;
    return debt.subtract(BigInteger.valueOf(now - chargedAt).multiply(permits)).max(ZERO);
  }

  private static BigInteger product(long a, long b) {
    return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
  }
}
