package io.headgate.simulation;

import io.headgate.limit.Holdable;
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
 * Checks that the admissions of all instances together stay within the guarantee of each enforced
 * limit. For an eventual rule the bound is increased by the traffic of one sync interval, and by
 * the traffic to an instance during its first sync interval of the counter. For every rule it is
 * increased by the charges that a failover lost.
 */
final class OverCheck implements Check {
  /** A counter with one of its limits; a rule change replaces the limit. */
  private record CounterLimit(String key, Limit limit, boolean eventual) {}

  private static final class Traffic {
    final Charge charge;
    final List<AdmissionBounds.Admitted> admitted = new ArrayList<>();
    final List<AdmissionBounds.Admitted> offered = new ArrayList<>();
    final Map<List<Long>, Long> firstAt = new LinkedHashMap<>();
    boolean several; // decided together with other counters, partly locally
    long atFirst; // offered to instances during their first sync interval of the counter

    Traffic(Charge charge) {
      this.charge = charge;
    }

    /** Records a request. The first instance starts with the exact state, others without any. */
    void offered(World world, int node, long cost, long sync) {
      var instance = List.of((long) node, world.node(node).generation());
      long since = firstAt.computeIfAbsent(instance, name -> world.now());
      boolean known = firstAt.keySet().iterator().next().equals(instance);
      if (known || world.now() - since > sync)
        offered.add(new AdmissionBounds.Admitted(world.now(), cost));
      else atFirst += cost;
    }
  }

  private final long sync;
  private final Map<CounterLimit, Traffic> traffic = new LinkedHashMap<>();

  /**
   * @param sync the maximum time after which the admissions of one instance are known to all
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
        if (!(charge.limit() instanceof Holdable)) continue; // decided strictly
        trafficOf(charge, true).offered(world, offer.request().node(), charge.cost(), sync);
      }
    }
  }

  @Override
  public void decided(World world, TimedDecision decision) {
    if (!decision.isAllowed() || decision.isFallback()) return;
    for (var part : decision.plan().parts()) {
      var combine = part.rule().combine();
      if (!part.isEnforced()) continue;
      if (combine instanceof Combine.Any || combine instanceof Combine.Weighted) continue;
      boolean eventualRule = part.rule().consistency() == Consistency.EVENTUAL;
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var charge = decision.plan().charges().get(i);
        boolean eventual = eventualRule && charge.limit() instanceof Holdable;
        if (charge.limit() instanceof io.headgate.limit.SlotLimit) continue;
        var observed = trafficOf(charge, eventual);
        observed.admitted.add(new AdmissionBounds.Admitted(decision.at(), charge.cost()));
        observed.several |=
            decision.plan().charges().size() > 1 && decision.result().source() != Source.STORE;
      }
    }
  }

  private Traffic trafficOf(Charge charge, boolean eventual) {
    var key = SimulatedStore.key(charge.counter(), charge.key());
    return traffic.computeIfAbsent(
        new CounterLimit(key, charge.limit(), eventual), counter -> new Traffic(charge));
  }

  @Override
  public void ended(World world) {
    traffic.forEach((counter, observed) -> {
      long allowance = 0;
      if (counter.eventual)
        allowance = observed.atFirst + AdmissionBounds.inAnySpan(sync, 0, observed.offered);
      var shard = world.shardOf(observed.charge);
      allowance += shard.lostCharges(counter.key) + shard.heldAtFailover(counter.key);
      // Some counters of a plan are charged up to a round trip before the plan is decided.
      if (observed.several)
        allowance +=
            Math.ceilDiv(2 * world.latency() * counter.limit.capacity(), counter.limit.window());
      if (observed.admitted.isEmpty()) return;
      long excess = AdmissionBounds.excess(counter.limit, observed.admitted);
      if (excess > allowance) {
        world.fail(
            "%s: admitted %d more than %s allows; at most %d are tolerated"
                .formatted(counter.key, excess, counter.limit, allowance));
      }
    });
  }
}
