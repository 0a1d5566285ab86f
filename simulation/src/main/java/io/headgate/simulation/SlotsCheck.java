package io.headgate.simulation;

import io.headgate.limit.Concurrency;
import io.headgate.redis.SimulatedStore;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks that there are never more requests in flight than slots. A request is in flight until it
 * ends or its slot expires.
 */
final class SlotsCheck implements Check {
  private final Map<String, TreeMap<Long, Long>> changes = new HashMap<>();
  private final Map<String, Long> max = new HashMap<>();

  @Override
  public void decided(World world, TimedDecision decision) {
    if (!decision.isAllowed() || decision.isFallback()) return;
    for (var charge : decision.plan().charges()) {
      if (!(charge.limit() instanceof Concurrency slots)) continue;
      var key = SimulatedStore.key(charge.counter(), charge.key());
      long lease = slots.window();
      long holds = decision.request().holdFor() == 0 ? lease : decision.request().holdFor();
      var changesOfKey = changes.computeIfAbsent(key, name -> new TreeMap<>());
      changesOfKey.merge(decision.at(), charge.cost(), Long::sum);
      changesOfKey.merge(decision.at() + Math.min(holds, lease), -charge.cost(), Long::sum);
      max.merge(key, slots.max(), Math::max);
    }
  }

  @Override
  public void ended(World world) {
    changes.forEach((key, changesOfKey) -> {
      long inFlight = 0;
      for (var change : changesOfKey.entrySet()) {
        inFlight += change.getValue();
        if (inFlight > max.getOrDefault(key, 0L)) {
          world.fail(
              "%s: %d in flight at %d; at most %d are permitted"
                  .formatted(key, inFlight, change.getKey(), max.get(key)));
          return;
        }
      }
    });
  }
}
