package io.headgate.limit;

import static java.math.BigInteger.ZERO;

import io.headgate.limit.LeakyBucket.Queue;
import java.math.BigInteger;

/** Reference for token and leaky bucket: a debt as an exact fraction of the period. */
final class ReferenceBucket extends ReferenceLimit {
  private final BigInteger permits;
  private final BigInteger period;
  private final BigInteger maxDebt;
  private final boolean queues;
  private BigInteger debt = ZERO; // after the last charge
  private long chargedAt;

  private ReferenceBucket(Rate rate, BigInteger maxDebt, boolean queues) {
    this.permits = BigInteger.valueOf(rate.permits());
    this.period = BigInteger.valueOf(rate.periodMicros());
    this.maxDebt = maxDebt;
    this.queues = queues;
  }

  static ReferenceBucket of(TokenBucket limit) {
    return new ReferenceBucket(
        limit.rate(), product(limit.burst(), limit.rate().periodMicros()), false);
  }

  static ReferenceBucket of(LeakyBucket limit) {
    var rate = limit.rate();
    var inQueue =
        switch (limit.queue()) {
          case Queue.None none -> ZERO;
          case Queue.Length(long requests) -> product(requests, rate.periodMicros());
          case Queue.Wait(var longest) -> product(Bounds.micros(longest), rate.permits());
        };
    return new ReferenceBucket(rate, BigInteger.valueOf(rate.periodMicros()).add(inQueue), true);
  }

  @Override
  long capacity() {
    return maxDebt.divide(period).longValueExact();
  }

  @Override
  long room(long now) {
    return maxDebt.subtract(debt(now)).max(ZERO).divide(period).longValueExact();
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

  /** Returns the debt; larger than at the last charge if the clock stepped back before it. */
  private BigInteger debt(long now) {
    if (debt.signum() == 0) return ZERO;
    return debt.subtract(BigInteger.valueOf(now - chargedAt).multiply(permits)).max(ZERO);
  }

  private static BigInteger product(long a, long b) {
    return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
  }
}
