package io.headgate.simulation;

import io.headgate.rule.Consistency;
import io.headgate.rule.FailurePolicy.Allow;
import io.headgate.rule.FailurePolicy.AllowThenDeny;
import io.headgate.rule.FailurePolicy.Deny;
import io.headgate.rule.FailurePolicy.Local;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Failure policies decide where the store can't, and only there; each as it is defined. For rules
 * of one limit.
 */
final class PolicyCheck implements Check {
  /** After this the circuit breaker must have noticed that a server is back, or is gone. */
  private static final long SETTLED = 5_000_000;

  private record LocalPlace(int node, long generation, String key) {}

  private static final class LocalUse {
    final io.headgate.limit.Limit share;
    final List<Bounds.Admitted> admitted = new ArrayList<>();

    LocalUse(io.headgate.limit.Limit share) {
      this.share = share;
    }
  }

  private final Map<LocalPlace, LocalUse> local = new LinkedHashMap<>();

  @Override
  public void decided(World world, Decision decision) {
    var node = world.node(decision.request().node());
    boolean well = node.isWellFor(SETTLED);
    boolean gone = false;
    for (var charge : decision.plan().charges()) {
      int shard = world.shardNumber(charge);
      well &= node.path(shard).isWellFor(SETTLED);
      var server = world.shard(shard);
      // An instance learns of an outage only by a command that it has sent to that zone.
      long since = node.unavailableSince(world.slotOf(charge), server.lastTrouble);
      gone |= server.dead && world.now() - since >= SETTLED;
    }
    boolean held =
        decision.plan().parts().stream()
            .anyMatch(part ->
                part.rule().consistency() == Consistency.LEASED
                    || part.rule().consistency() == Consistency.AUTO);
    if (decision.isFallback() && well) {
      world.fail("decided by policy though its servers are well: " + decision);
    } else if (!decision.isFallback() && gone && !held && node.isWellFor(SETTLED)) {
      world.fail("not decided by policy though a server of it is gone: " + decision);
    } else if (decision.isFallback()) {
      policies(world, decision, node);
    }
  }

  private void policies(World world, Decision decision, Node node) {
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
    long since = troubledFor(world, decision, node);
    if (since < grace) {
      world.fail("denied by policy within its grace, after %d µs: %s".formatted(since, decision));
    }
  }

  private static long troubledFor(World world, Decision decision, Node node) {
    long longest = 0;
    for (var charge : decision.plan().charges()) {
      longest = Math.max(longest, node.troubledFor(world.shardNumber(charge)));
    }
    return longest;
  }

  private void count(World world, Decision decision, Node node, int index) {
    var charge = decision.plan().charges().get(index);
    var place =
        new LocalPlace(node.number(), node.generation(), charge.counter() + " " + charge.key());
    local
        .computeIfAbsent(place, key -> new LocalUse(charge.limit().dividedBy(world.instances())))
        .admitted
        .add(new Bounds.Admitted(node.wallClock(), charge.cost()));
  }

  @Override
  public void ended(World world) {
    local.forEach((place, use) -> {
      long excess = Bounds.excess(use.share, use.admitted);
      if (excess > 0) {
        world.fail(
            "instance %d admitted %d more of %s by itself than its share %s"
                .formatted(place.node, excess, place.key, use.share));
      }
    });
  }
}
