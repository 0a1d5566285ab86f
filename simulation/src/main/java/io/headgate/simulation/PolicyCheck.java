package io.headgate.simulation;

import io.headgate.rule.Consistency;
import io.headgate.rule.FailurePolicy.Allow;
import io.headgate.rule.FailurePolicy.AllowThenDeny;
import io.headgate.rule.FailurePolicy.Deny;
import io.headgate.rule.FailurePolicy.Local;
import io.headgate.store.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks that failure policies decide if and only if the store cannot, each as defined. For rules
 * with one limit.
 */
final class PolicyCheck implements Check {
  /** The time within which the circuit breaker must detect that a server is up or down. */
  private static final long SETTLE_TIME = 5_000_000;

  /**
   * Late checks that the last answers decide before so many failures open the circuit breaker. With
   * few requests that takes longer than the time to settle.
   */
  private static final int MAX_LATE = 3;

  private record Zone(int node, long generation, int shard) {}

  private record LocalCounter(int node, long generation, String key) {}

  private static final class LocalUse {
    final io.headgate.limit.Limit share;
    final List<AdmissionBounds.Admitted> admitted = new ArrayList<>();

    LocalUse(io.headgate.limit.Limit share) {
      this.share = share;
    }
  }

  private final Map<LocalCounter, LocalUse> local = new LinkedHashMap<>();
  private final Map<Zone, Integer> late = new HashMap<>();

  @Override
  public void decided(World world, TimedDecision decision) {
    var node = world.node(decision.request().node());
    boolean healthy = node.isHealthyFor(SETTLE_TIME);
    boolean down = false;
    for (var charge : decision.plan().charges()) {
      int shard = world.shardNumber(charge);
      if (decision.isByPolicy() || decision.result().source() == Source.STORE) {
        late.remove(new Zone(node.number(), node.generation(), shard));
      }
      healthy &= node.path(shard).isHealthyFor(SETTLE_TIME);
      var server = world.shard(shard);
      // An instance detects an outage only by sending a command to that zone.
      long since = node.unavailableSince(world.slotOf(charge), server.lastFault);
      down |= server.dead && world.now() - since >= SETTLE_TIME;
    }
    boolean held =
        decision.plan().parts().stream()
            .anyMatch(part ->
                part.rule().consistency() == Consistency.LEASED
                    || part.rule().consistency() == Consistency.AUTO);
    if (decision.isByPolicy() && healthy) {
      world.fail("decided by policy though its servers are up: " + decision);
    } else if (!decision.isByPolicy()
        && down
        && !held
        && node.isHealthyFor(SETTLE_TIME)
        && isLateTooOften(world, decision, node)) {
      world.fail("not decided by policy though one of its servers is down: " + decision);
    } else if (decision.isByPolicy()) {
      policies(world, decision, node);
    }
  }

  /** Counts a late check of each zone, and returns whether there were more than possible. */
  private boolean isLateTooOften(World world, TimedDecision decision, Node node) {
    boolean tooOften = decision.result().source() != Source.CACHE;
    for (var charge : decision.plan().charges()) {
      var zone = new Zone(node.number(), node.generation(), world.shardNumber(charge));
      tooOften |= late.merge(zone, 1, Integer::sum) > MAX_LATE;
    }
    return tooOften;
  }

  private void policies(World world, TimedDecision decision, Node node) {
    boolean denies = false;
    boolean counted = false;
    long grace = Long.MAX_VALUE;
    for (var part : decision.plan().parts()) {
      if (!part.isEnforced()) continue;
      switch (part.rule().onStoreFailure()) {
        case Allow allow -> {}
        case Deny deny -> denies = true;
        case Local here -> {
          counted = true;
          if (decision.isAllowed()) count(world, decision, node, part.from());
        }
        case AllowThenDeny(Duration time) -> grace = Math.min(grace, time.toNanos() / 1_000);
      }
    }
    if (denies && decision.isAllowed()) world.fail("allowed against policy deny: " + decision);
    if (denies || counted || decision.isAllowed()) return;
    long since = faultyFor(world, decision, node);
    if (since < grace) {
      world.fail("denied by policy within its grace, after %d µs: %s".formatted(since, decision));
    }
  }

  private static long faultyFor(World world, TimedDecision decision, Node node) {
    long max = 0;
    for (var charge : decision.plan().charges()) {
      max = Math.max(max, node.faultyFor(world.shardNumber(charge)));
    }
    return max;
  }

  private void count(World world, TimedDecision decision, Node node, int index) {
    var charge = decision.plan().charges().get(index);
    var counter =
        new LocalCounter(node.number(), node.generation(), charge.counter() + " " + charge.key());
    local
        .computeIfAbsent(counter, key -> new LocalUse(charge.limit().dividedBy(world.instances())))
        .admitted
        .add(new AdmissionBounds.Admitted(node.wallClock(), charge.cost()));
  }

  @Override
  public void ended(World world) {
    local.forEach((counter, use) -> {
      long excess = AdmissionBounds.excess(use.share, use.admitted);
      if (excess > 0) {
        world.fail(
            "instance %d admitted %d more of %s locally than its share %s"
                .formatted(counter.node, excess, counter.key, use.share));
      }
    });
  }
}
