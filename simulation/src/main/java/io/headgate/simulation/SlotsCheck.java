package io.headgate.simulation;

import io.headgate.limit.Concurrency;
import io.headgate.redis.SimulatedStore;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** No more requests in flight than slots: a request is, until it is done or its lease ends. */
final class SlotsCheck implements Check {
  private final Map<String, TreeMap<Long, Long>> changes = new HashMap<>();
  private final Map<String, Long> most = new HashMap<>();

  @Override
  public void decided(World world, Decision decision) {
    if (!decision.isAllowed() || decision.isFallback()) return;
    for (var charge : decision.plan().charges()) {
      if (!(charge.limit() instanceof Concurrency slots)) continue;
      var key = SimulatedStore.key(charge.counter(), charge.key());
      long lease = slots.window();
      long holds = decision.request().holdFor() == 0 ? lease : decision.request().holdFor();
      var own = changes.computeIfAbsent(key, name -> new TreeMap<>());
      own.merge(decision.at(), charge.cost(), Long::sum);
      own.merge(decision.at() + Math.min(holds, lease), -charge.cost(), Long::sum);
      most.merge(key, slots.max(), Math::max);
    }
  }

  @Override
  public void ended(World world) {
    changes.forEach((key, own) -> {
      long inFlight = 0;
      for (var change : own.entrySet()) {
        inFlight += change.getValue();
        if (inFlight > most.getOrDefault(key, 0L)) {
          world.fail(
              "%s: %d in flight at %d, where %d are the most"
                  .formatted(key, inFlight, change.getKey(), most.get(key)));
          return;
        }
      }
    });
  }
}
