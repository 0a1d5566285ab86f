package io.headgate.internal.shedding;

import io.headgate.load.DropShares;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures the requests per second of one backend by priority, and its capacity. The rates are
 * exponential averages over five seconds. The capacity is the highest recent rate of requests that
 * were not dropped. Thread-safe.
 */
final class TrafficMix {
  private static final double AVERAGE_SECONDS = 5;
  private static final double CAPACITY_SECONDS = 600;

  private final LongAdder[] heavyCounts;
  private final LongAdder[] otherCounts;
  private final LongAdder admittedCount = new LongAdder();
  private final double[] heavy; // rates; guarded by this
  private final double[] other;
  private double admitted;
  private double capacity;
  private long updatedAt;

  TrafficMix(int priorities) {
    heavyCounts = adders(priorities);
    otherCounts = adders(priorities);
    heavy = new double[priorities];
    other = new double[priorities];
  }

  private static LongAdder[] adders(int count) {
    var adders = new LongAdder[count];
    for (int i = 0; i < count; i++) adders[i] = new LongAdder();
    return adders;
  }

  void count(int priority, boolean isHeavy, boolean isAdmitted) {
    (isHeavy ? heavyCounts : otherCounts)[priority].increment();
    if (isAdmitted) admittedCount.increment();
  }

  /**
   * Adds the requests since the last call to the rates.
   *
   * @return whether there were any
   */
  synchronized boolean update(long now) {
    if (updatedAt == 0 || now < updatedAt) updatedAt = now;
    double seconds = (now - updatedAt) / 1e6;
    if (seconds == 0) return false;
    updatedAt = now;
    double kept = Math.exp(-seconds / AVERAGE_SECONDS);
    long sum = 0;
    for (int i = 0; i < heavy.length; i++) {
      long heavyNow = heavyCounts[i].sumThenReset();
      long otherNow = otherCounts[i].sumThenReset();
      sum += heavyNow + otherNow;
      heavy[i] = heavy[i] * kept + (1 - kept) * heavyNow / seconds;
      other[i] = other[i] * kept + (1 - kept) * otherNow / seconds;
    }
    admitted = admitted * kept + (1 - kept) * admittedCount.sumThenReset() / seconds;
    capacity = Math.max(admitted, capacity * Math.exp(-seconds / CAPACITY_SECONDS));
    return sum > 0;
  }

  synchronized DropShares shares(double level, double[] guarantees) {
    return DropShares.of(level, heavy, other, guarantees, capacity);
  }
}
