package io.headgate.testkit.redis;

import static java.util.stream.Collectors.joining;

import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A real Redis Cluster on 127.0.0.1, with a node timeout of two seconds. */
public final class RedisCluster implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int KEYS_PER_MIGRATE = 100;

  private final List<RedisServer> nodes = new ArrayList<>();
  private final int primaries;

  private RedisCluster(int primaries) {
    this.primaries = primaries;
  }

  /** Starts three primaries with one replica each. */
  public static RedisCluster start(String... extraOptions) {
    return start(3, 1, extraOptions);
  }

  /** Starts a cluster and waits until all nodes report it healthy and the replicas are in sync. */
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
    Eventually.holds(
        "all nodes have joined the cluster", TIMEOUT, () -> all(n -> isComplete(n, 0)));
    for (int i = primaries; i < nodes.size(); i++) {
      nodes.get(i).call("CLUSTER", "REPLICATE", idOf(nodes.get(i % primaries)));
    }
    int replicas = nodes.size() - primaries;
    Eventually.holds(
        "the cluster is healthy and its replicas are in sync",
        TIMEOUT,
        () -> all(n -> isComplete(n, replicas) && isHealthy(n) && isInSync(n)));
  }

  /** Introduces every node to every other, which is faster than gossip. */
  private void meet() {
    for (int i = 0; i < nodes.size(); i++) {
      for (var other : nodes.subList(i + 1, nodes.size())) {
        var busPort = other.option("--cluster-port").orElseThrow();
        nodes.get(i).call("CLUSTER", "MEET", "127.0.0.1", text(other.port()), busPort);
      }
    }
  }

  /** Returns a redis-cluster URI with all nodes. */
  public String uri() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + node.port())
        .collect(joining(",", "redis-cluster://", ""));
  }

  /** Returns all nodes, running or not, the initial primaries first. */
  public List<RedisServer> nodes() {
    return List.copyOf(nodes);
  }

  /** Returns the slot of a key. */
  public static int slotOf(String key) {
    return HashSlot.of(key);
  }

  /** Returns the owner of the slot as the first running node reports it. */
  public RedisServer primaryOfSlot(int slot) {
    return ownerSeenBy(running().getFirst(), HashSlot.check(slot));
  }

  /** Kills the owner of the slot and returns it. */
  public RedisServer killPrimaryOfSlot(int slot) {
    var primary = primaryOfSlot(slot);
    primary.kill();
    return primary;
  }

  /**
   * Waits until another node owns the slot, and every running node reports that and is healthy.
   *
   * @param previous the previous owner, killed or paused
   * @return the new owner
   */
  public RedisServer awaitFailover(int slot, RedisServer previous) {
    Eventually.holds(
        "slot %d has another owner than %s".formatted(HashSlot.check(slot), previous),
        TIMEOUT,
        () -> all(n -> ownerSeenBy(n, slot) != previous && isHealthy(n)));
    return primaryOfSlot(slot);
  }

  /** Moves a slot with all its keys to another primary, as live resharding does. */
  public void migrateSlot(int slot, RedisServer to) {
    var from = primaryOfSlot(slot);
    if (from == to) return;
    var slotText = text(slot);
    var target = idOf(to);
    to.call("CLUSTER", "SETSLOT", slotText, "IMPORTING", idOf(from));
    from.call("CLUSTER", "SETSLOT", slotText, "MIGRATING", target);
    moveKeys(slotText, from, to);
    // The new owner first: otherwise both nodes would redirect to each other for a moment.
    to.call("CLUSTER", "SETSLOT", slotText, "NODE", target);
    from.call("CLUSTER", "SETSLOT", slotText, "NODE", target);
    for (var node : running()) {
      if (isPrimary(node)) node.call("CLUSTER", "SETSLOT", slotText, "NODE", target);
    }
    Eventually.holds(
        "every node reports %2$s as the owner of slot %1$d".formatted(slot, to),
        TIMEOUT,
        () -> all(n -> ownerSeenBy(n, slot) == to));
  }

  private static void moveKeys(String slot, RedisServer from, RedisServer to) {
    while (true) {
      var keys = from.call("CLUSTER", "GETKEYSINSLOT", slot, text(KEYS_PER_MIGRATE)).items();
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
  private interface NodeCondition {
    boolean holdsFor(RedisServer node);
  }

  private boolean all(NodeCondition condition) {
    return running().stream().allMatch(condition::holdsFor);
  }

  private List<RedisServer> running() {
    var running = nodes.stream().filter(RedisServer::isRunning).toList();
    if (running.isEmpty())
      throw new IllegalStateException(
          "no node of the cluster is running; restart() or resume() one");
    return running;
  }

  private RedisServer ownerSeenBy(RedisServer node, int slot) {
    var owner =
        ClusterView.of(node)
            .ownerOf(slot)
            .orElseThrow(() -> new IllegalStateException("slot " + slot + " has no owner"));
    return nodes.stream().filter(n -> n.port() == owner.port()).findFirst().orElseThrow();
  }

  private boolean isComplete(RedisServer node, int replicas) {
    return ClusterView.of(node).isComplete(nodes.size(), replicas);
  }

  private static boolean isHealthy(RedisServer node) {
    return node.reports("cluster_state:ok", "CLUSTER", "INFO");
  }

  private static boolean isInSync(RedisServer node) {
    return isPrimary(node) || node.reports("master_link_status:up", "INFO", "replication");
  }

  private static boolean isPrimary(RedisServer node) {
    return node.reports("role:master", "INFO", "replication");
  }

  private static String idOf(RedisServer node) {
    return node.call("CLUSTER", "MYID").text();
  }

  private static String text(int number) {
    return Integer.toString(number);
  }
}
