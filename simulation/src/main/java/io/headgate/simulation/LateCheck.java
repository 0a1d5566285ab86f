package io.headgate.simulation;

import io.headgate.limit.TokenBucket;
import io.headgate.redis.SimulatedStore;
import io.headgate.rule.Charge;
import io.headgate.store.Source;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks strict limits in a run in which replies are late and none is lost. One instance never
 * admits more than a limit, unless a plan spans slots. Several admit at most a twentieth more of
 * one counter, and a hundredth more over many runs ({@code SimulationTest}). In the end each
 * counter is charged exactly the permits that were admitted, whoever decided.
 */
final class LateCheck implements Check {
  private static final class Counts {
    final Charge charge;
    final List<AdmissionBounds.Admitted> admitted = new ArrayList<>();
    long permits;

    Counts(Charge charge) {
      this.charge = charge;
    }
  }

  private final Map<String, Counts> counters = new LinkedHashMap<>();
  private long decisions;
  private long late;
  private long excess;
  private long capacity;

  /** Returns the number of requests that were decided without their replies. */
  long late() {
    return late;
  }

  /** Returns the number of requests. */
  long decisions() {
    return decisions;
  }

  /** Returns by how many permits the limits were exceeded, over all counters. */
  long excess() {
    return excess;
  }

  /** Returns the permits of the limits, over all counters. */
  long capacity() {
    return capacity;
  }

  @Override
  public void decided(World world, TimedDecision decision) {
    decisions++;
    long waited = world.now() - decision.requestedAt();
    boolean isLate = decision.result().source() != Source.STORE && waited > 0;
    if (isLate) late++;
    for (var charge : decision.plan().charges()) {
      var key = SimulatedStore.key(charge.counter(), charge.key());
      var counts = counters.computeIfAbsent(key, name -> new Counts(charge));
      if (!decision.isAllowed()) continue;
      counts.permits += charge.cost();
      counts.admitted.add(new AdmissionBounds.Admitted(decision.at(), charge.cost()));
    }
  }

  @Override
  public void ended(World world) {
    counters.forEach((key, counts) -> {
      var limit = counts.charge.limit();
      long over = AdmissionBounds.excess(limit, counts.admitted);
      excess += over;
      capacity += limit.capacity();
      boolean isExact = world.instances() == 1 && world.shards() == 1;
      // A late request is charged when the server executes it, when a bucket may have refilled.
      long refilled = limit instanceof TokenBucket ? 1 : 0;
      long tolerated = isExact ? refilled : Math.ceilDiv(limit.capacity(), 20);
      if (over > tolerated) {
        world.fail(
            "%s: admitted %d more than %s allows, with %d of %d decisions late; at most %d are tolerated"
                .formatted(key, over, limit, late, decisions, tolerated));
      }
      long charged = world.shardOf(counts.charge).charged(key);
      if (charged != counts.permits) {
        world.fail(
            "%s: admitted %d and charged %d, with %d of %d decisions late"
                .formatted(key, counts.permits, charged, late, decisions));
      }
    });
  }
}
