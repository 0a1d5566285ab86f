package io.headgate.benchmarks.adaptive;

import io.headgate.load.LoadSignal;
import java.util.SplittableRandom;

/**
 * Stripe's worker utilization shedder: integrates the distance of the utilization from a band
 * between 0.7 and 0.8, over two minutes, into a probability of refusal.
 */
final class StripeShedder implements AdmissionPolicy {
  private static final double LOW = 0.7;
  private static final double HIGH = 0.8;
  private static final double SECONDS = 120;
  private static final double LOWEST = -28 / SECONDS;

  private final SplittableRandom random = new SplittableRandom(1);
  private double shed;

  @Override
  public boolean admits(Plant.Tenant sender, int tenant, int caller, long now, int inFlight) {
    return random.nextDouble() >= shed;
  }

  @Override
  public void reported(long now, LoadSignal signal) {
    double utilization = Math.min(1, signal.utilization().orElse(0));
    double excess = 0;
    if (utilization < LOW) excess = utilization / LOW - 1;
    if (utilization > HIGH) excess = (utilization - HIGH) / (1 - HIGH);
    shed = Math.clamp(shed + Math.clamp(excess, -1, 1) / SECONDS, LOWEST, 1);
  }
}
