package io.headgate.simulation;

import io.headgate.limit.Limit;
import io.headgate.redis.SimulatedStore;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Consistency;
import io.headgate.store.Source;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What all instances admit together stays within the guarantee of each enforced limit. The bound of
 * an eventual rule is wider by what is offered within a sync interval, and by what is offered to an
 * instance in the first one in which it knows the counter; that of any rule by what a failover has
 * forgotten.
 */
final class OverCheck implements Check {
  /** One limit of one counter, as long as it is the counter's. */
  private record Place(String key, Limit limit, boolean eventual) {}

  private static final class Seen {
    final Charge charge;
    final List<Bounds.Admitted> admitted = new ArrayList<>();
    final List<Bounds.Admitted> offered = new ArrayList<>();
    final Map<List<Long>, Long> firstAt = new LinkedHashMap<>();
    boolean several; // decided with other counters, some here and some by a server
    long atFirst; // offered to instances in the first sync interval in which they know the counter

    Seen(Charge charge) {
      this.charge = charge;
    }

    /** The instance that is first of all starts from the truth; others know nothing yet. */
    void offered(World world, int node, long cost, long sync) {
      var instance = List.of((long) node, world.node(node).generation());
      long since = firstAt.computeIfAbsent(instance, name -> world.now());
      boolean known = firstAt.keySet().iterator().next().equals(instance);
      if (known || world.now() - since > sync) offered.add(new Bounds.Admitted(world.now(), cost));
      else atFirst += cost;
    }
  }

  private final long sync;
  private final Map<Place, Seen> places = new LinkedHashMap<>();

  /**
   * @param sync the longest time after which what one instance counted is known to all others
   */
  OverCheck(long sync) {
    this.sync = sync;
  }

  @Override
  public void offered(World world, World.Offer offer) {
    for (var part : offer.plan().parts()) {
      if (part.rule().consistency() != Consistency.EVENTUAL) continue;
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var charge = offer.plan().charges().get(i);
        seen(charge, true).offered(world, offer.request().node(), charge.cost(), sync);
      }
    }
  }

  @Override
  public void decided(World world, Decision decision) {
    if (!decision.isAllowed() || decision.isFallback()) return;
    for (var part : decision.plan().parts()) {
      var combine = part.rule().combine();
      if (!part.isEnforced()) continue;
      if (combine instanceof Combine.Any || combine instanceof Combine.Weighted) continue;
      boolean eventual = part.rule().consistency() == Consistency.EVENTUAL;
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var charge = decision.plan().charges().get(i);
        if (charge.limit() instanceof io.headgate.limit.Concurrency) continue;
        var seen = seen(charge, eventual);
        seen.admitted.add(new Bounds.Admitted(decision.at(), charge.cost()));
        seen.several |=
            decision.plan().charges().size() > 1 && decision.answer().source() != Source.STORE;
      }
    }
  }

  private Seen seen(Charge charge, boolean eventual) {
    var key = SimulatedStore.key(charge.counter(), charge.key());
    return places.computeIfAbsent(
        new Place(key, charge.limit(), eventual), place -> new Seen(charge));
  }

  @Override
  public void ended(World world) {
    places.forEach((place, seen) -> {
      long allowance = 0;
      if (place.eventual) allowance = seen.atFirst + Bounds.inAny(sync, 0, seen.offered);
      var shard = world.shardOf(seen.charge);
      allowance += shard.forgotten(place.key) + shard.heldAtCrash(place.key);
      // Of a plan of several, some counters are charged up to a round trip before it is decided.
      if (seen.several)
        allowance +=
            Math.ceilDiv(2 * world.latency() * place.limit.capacity(), place.limit.window());
      if (seen.admitted.isEmpty()) return;
      long excess = Bounds.excess(place.limit, seen.admitted);
      if (excess > allowance) {
        world.fail(
            "%s: admitted %d more than %s allows, where %d are the most"
                .formatted(place.key, excess, place.limit, allowance));
      }
    });
  }
}
