package io.headgate.simulation;

import io.headgate.limit.SlotLimit;
import io.headgate.redis.SimulatedStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks that a request is admitted only if the requests in flight are then within the limit. A
 * request is in flight until it ends or its slot expires. The limit is the present one if it
 * follows the load; requests in flight when it is lowered are not ended.
 */
final class SlotsCheck implements Check {
  private record Admission(long cost, long limit) {}

  /** The admissions of one time, and the slots that became free before them. */
  private static final class Moment {
    final List<Admission> admissions = new ArrayList<>();
    long freed;
  }

  private final Map<String, TreeMap<Long, Moment>> moments = new HashMap<>();

  @Override
  public void decided(World world, TimedDecision decision) {
    if (!decision.isAllowed() || decision.isFallback()) return;
    for (int i = 0; i < decision.plan().charges().size(); i++) {
      var charge = decision.plan().charges().get(i);
      if (!(charge.limit() instanceof SlotLimit slots)) continue;
      var key = SimulatedStore.key(charge.counter(), charge.key());
      long lease = slots.window();
      long holds = decision.request().holdFor() == 0 ? lease : decision.request().holdFor();
      long present = decision.result().outcomes().get(i).limit();
      long limit = present > 0 ? present : slots.capacity();
      if (limit > slots.capacity()) world.fail(key + ": a limit of " + limit + " exceeds " + slots);
      var ofKey = moments.computeIfAbsent(key, name -> new TreeMap<>());
      moment(ofKey, decision.at()).admissions.add(new Admission(charge.cost(), limit));
      moment(ofKey, decision.at() + Math.min(holds, lease)).freed += charge.cost();
    }
  }

  private static Moment moment(Map<Long, Moment> ofKey, long time) {
    return ofKey.computeIfAbsent(time, unused -> new Moment());
  }

  @Override
  public void ended(World world) {
    moments.forEach((key, ofKey) -> {
      long inFlight = 0;
      for (var entry : ofKey.entrySet()) {
        inFlight -= entry.getValue().freed;
        long limit = 0;
        for (var admission : entry.getValue().admissions) {
          inFlight += admission.cost;
          limit = Math.max(limit, admission.limit); // their order within the time is not known
        }
        if (entry.getValue().admissions.isEmpty() || inFlight <= limit) continue;
        world.fail(
            "%s: %d in flight at %d; at most %d are permitted"
                .formatted(key, inFlight, entry.getKey(), limit));
        return;
      }
    });
  }
}
