package io.headgate.testkit.redis;

import static java.util.stream.Collectors.joining;

import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A real Redis Cluster on 127.0.0.1 that notices a dead node after two seconds. */
public final class RedisCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int KEYS_AT_ONCE = 100;

  private final List<RedisServer> nodes = new ArrayList<>();
  private final int primaries;

  private RedisCluster(int primaries) {
    this.primaries = primaries;
  }

  /** Three primaries with a replica each. */
  public static RedisCluster start(String... extraOptions) {
    return start(3, 1, extraOptions);
  }

  /** Returns when every node says that the cluster is well and every replica is in sync. */
  public static RedisCluster start(int primaries, int replicasEach, String... extraOptions) {
    if (primaries < 1 || replicasEach < 0)
      throw new IllegalArgumentException(
          "a cluster needs at least 1 primary and 0 replicas each, got %d and %d"
              .formatted(primaries, replicasEach));
    var cluster = new RedisCluster(primaries);
    try {
      for (int i = 0; i < primaries * (1 + replicasEach); i++) {
        cluster.nodes.add(startNode(List.of(extraOptions)));
      }
      cluster.form();
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  private static RedisServer startNode(List<String> extraOptions) {
    return RedisServer.start(
        2,
        ports -> {
          var options = new ArrayList<String>();
          options.addAll(List.of("--cluster-enabled", "yes"));
          options.addAll(List.of("--cluster-port", ports.getLast().toString()));
          options.addAll(List.of("--cluster-node-timeout", "2000"));
          options.addAll(extraOptions);
          return LaunchSpec.server(ports.getFirst(), options);
        });
  }

  private void form() {
    for (int i = 0; i < primaries; i++) {
      int first = HashSlot.COUNT * i / primaries;
      int last = HashSlot.COUNT * (i + 1) / primaries - 1;
      nodes.get(i).call("CLUSTER", "ADDSLOTSRANGE", text(first), text(last));
      nodes.get(i).call("CLUSTER", "SET-CONFIG-EPOCH", text(i + 1));
    }
    meet();
    Eventually.holds("all nodes know each other", PATIENCE, () -> all(n -> isComplete(n, 0)));
    for (int i = primaries; i < nodes.size(); i++) {
      nodes.get(i).call("CLUSTER", "REPLICATE", idOf(nodes.get(i % primaries)));
    }
    int replicas = nodes.size() - primaries;
    Eventually.holds(
        "the cluster is well and its replicas in sync",
        PATIENCE,
        () -> all(n -> isComplete(n, replicas) && isWell(n) && isInSync(n)));
  }

  /** Everybody meets everybody: quicker than hearing of one another. */
  private void meet() {
    for (int i = 0; i < nodes.size(); i++) {
      for (var other : nodes.subList(i + 1, nodes.size())) {
        var busPort = other.option("--cluster-port").orElseThrow();
        nodes.get(i).call("CLUSTER", "MEET", "127.0.0.1", text(other.port()), busPort);
      }
    }
  }

  public String uri() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + node.port())
        .collect(joining(",", "redis-cluster://", ""));
  }

  /** All of them, dead or alive: first those that began as primaries. */
  public List<RedisServer> nodes() {
    return List.copyOf(nodes);
  }

  public static int slotOf(String key) {
    return HashSlot.of(key);
  }

  /** The node that owns the slot, as the first node that can be asked sees it. */
  public RedisServer primaryOfSlot(int slot) {
    return ownerSeenBy(running().getFirst(), HashSlot.check(slot));
  }

  /** Kills the owner of the slot, and gives it. */
  public RedisServer killPrimaryOfSlot(int slot) {
    var primary = primaryOfSlot(slot);
    primary.kill();
    return primary;
  }

  /**
   * Waits until somebody else has taken over the slot, and every node that runs knows and is well.
   *
   * @param gone who owned it before, killed or paused by now
   * @return who owns it now
   */
  public RedisServer awaitFailover(int slot, RedisServer gone) {
    Eventually.holds(
        "slot %d has another owner than %s".formatted(HashSlot.check(slot), gone),
        PATIENCE,
        () -> all(n -> ownerSeenBy(n, slot) != gone && isWell(n)));
    return primaryOfSlot(slot);
  }

  /** Moves a slot with all its keys to another primary while clients go on, as resharding does. */
  public void migrateSlot(int slot, RedisServer to) {
    var from = primaryOfSlot(slot);
    if (from == to) return;
    var slotText = text(slot);
    var target = idOf(to);
    to.call("CLUSTER", "SETSLOT", slotText, "IMPORTING", idOf(from));
    from.call("CLUSTER", "SETSLOT", slotText, "MIGRATING", target);
    moveKeys(slotText, from, to);
    // The new owner first: were the old one to forget before it knows, both would refuse.
    to.call("CLUSTER", "SETSLOT", slotText, "NODE", target);
    from.call("CLUSTER", "SETSLOT", slotText, "NODE", target);
    for (var node : running()) {
      if (isPrimary(node)) node.call("CLUSTER", "SETSLOT", slotText, "NODE", target);
    }
    Eventually.holds(
        "every node knows that slot %d is with %s".formatted(slot, to),
        PATIENCE,
        () -> all(n -> ownerSeenBy(n, slot) == to));
  }

  private static void moveKeys(String slot, RedisServer from, RedisServer to) {
    while (true) {
      var keys = from.call("CLUSTER", "GETKEYSINSLOT", slot, text(KEYS_AT_ONCE)).items();
      if (keys.isEmpty()) return;
      var move = new ArrayList<String>();
      move.addAll(List.of("MIGRATE", "127.0.0.1", text(to.port()), "", "0", "5000", "KEYS"));
      for (var key : keys) move.add(key.text());
      from.call(move.toArray(String[]::new));
    }
  }

  @Override
  public void close() {
    for (var node : nodes) node.close();
  }

  @FunctionalInterface
  private interface Claim {
    boolean holdsFor(RedisServer node);
  }

  private boolean all(Claim claim) {
    return running().stream().allMatch(claim::holdsFor);
  }

  private List<RedisServer> running() {
    var running = nodes.stream().filter(RedisServer::isRunning).toList();
    if (running.isEmpty())
      throw new IllegalStateException("no node of the cluster runs; restart() or resume() one");
    return running;
  }

  private RedisServer ownerSeenBy(RedisServer node, int slot) {
    var owner =
        ClusterView.of(node)
            .ownerOf(slot)
            .orElseThrow(() -> new IllegalStateException("nobody owns slot " + slot));
    return nodes.stream().filter(n -> n.port() == owner.port()).findFirst().orElseThrow();
  }

  private boolean isComplete(RedisServer node, int replicas) {
    return ClusterView.of(node).isComplete(nodes.size(), replicas);
  }

  private static boolean isWell(RedisServer node) {
    return node.says("cluster_state:ok", "CLUSTER", "INFO");
  }

  private static boolean isInSync(RedisServer node) {
    return isPrimary(node) || node.says("master_link_status:up", "INFO", "replication");
  }

  private static boolean isPrimary(RedisServer node) {
    return node.says("role:master", "INFO", "replication");
  }

  private static String idOf(RedisServer node) {
    return node.call("CLUSTER", "MYID").text();
  }

  private static String text(int number) {
    return Integer.toString(number);
  }
}
