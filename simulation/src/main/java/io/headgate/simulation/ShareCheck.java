package io.headgate.simulation;

import io.headgate.redis.SimulatedStore;
import io.headgate.rule.Consistency;
import java.util.HashMap;
import java.util.Map;

/**
 * A changed limit takes over the share that was used: what passes under the limits of one counter,
 * each as a share of its capacity, is no more than the whole and what time gives back meanwhile.
 */
final class ShareCheck implements Check {
  private static final double ROUNDING = 1e-5; // shares are carried over in steps of 2^-20

  private static final class Used {
    double share;
    double most = 1;
    long last;
  }

  private final Map<String, Used> counters = new HashMap<>();

  @Override
  public void decided(World world, Decision decision) {
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
        used.most = Math.max(used.most, 1 + 2.0 / limit.capacity() + ROUNDING);
        if (used.share > used.most) {
          world.fail(
              "%s: %.4f of its limits passed, each by its own capacity: %s"
                  .formatted(charge.counter(), used.share, decision));
        }
      }
    }
  }
}
