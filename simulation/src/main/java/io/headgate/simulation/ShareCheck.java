package io.headgate.simulation;

import io.headgate.redis.SimulatedStore;
import io.headgate.rule.Consistency;
import java.util.HashMap;
import java.util.Map;

/**
 * Checks that a changed limit takes over the used share. The admissions under all limits of one
 * counter, each as a share of its capacity, never exceed 1 plus the permits replenished meanwhile.
 */
final class ShareCheck implements Check {
  private static final double ROUNDING = 1e-5; // shares are converted in steps of 2^-20

  private static final class Used {
    double share;
    double max = 1;
    long last;
  }

  private final Map<String, Used> counters = new HashMap<>();

  @Override
  public void decided(World world, TimedDecision decision) {
    if (!decision.isAllowed() || decision.isFallback()) return;
    for (var part : decision.plan().parts()) {
      if (part.rule().consistency() == Consistency.EVENTUAL) continue;
      for (var charge : decision.plan().charges()) {
        var limit = charge.limit();
        var used =
            counters.computeIfAbsent(
                SimulatedStore.key(charge.counter(), charge.key()), key -> new Used());
        double repaid = (double) (decision.at() - used.last) / limit.window();
        if (decision.at() > used.last) used.share = Math.max(0, used.share - repaid);
        used.last = Math.max(used.last, decision.at());
        used.share += (double) charge.cost() / limit.capacity();
        used.max = Math.max(used.max, 1 + 2.0 / limit.capacity() + ROUNDING);
        if (used.share > used.max) {
          world.fail(
              "%s: admissions add up to %.4f of the capacities of its limits: %s"
                  .formatted(charge.counter(), used.share, decision));
        }
      }
    }
  }
}
