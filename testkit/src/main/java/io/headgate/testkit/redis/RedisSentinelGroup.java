package io.headgate.testkit.redis;

import static java.util.stream.Collectors.joining;

import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A primary with replicas and three Sentinels, which fail over once two of them have not reached
 * the primary for a second.
 */
public final class RedisSentinelGroup implements AutoCloseable {
  /** The name of the monitored primary. */
  public static final String NAME = "headgate";

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int SENTINELS = 3;
  private static final int QUORUM = 2;

  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedisServer> sentinels = new ArrayList<>();
  private RedisServer lastPrimary;

  private RedisSentinelGroup(RedisServer first) {
    servers.add(first);
    lastPrimary = first;
  }

  /** Starts a group with one replica. */
  public static RedisSentinelGroup start() {
    return start(1);
  }

  /**
   * Starts a group and waits until the replicas are in sync and every Sentinel has discovered them
   * and the other Sentinels.
   *
   * @param extraOptions for the primary and the replicas, not for the sentinels
   */
  public static RedisSentinelGroup start(int replicas, String... extraOptions) {
    if (replicas < 1)
      throw new IllegalArgumentException(
          "a group needs at least 1 replica to fail over to, got " + replicas);
    var group = new RedisSentinelGroup(RedisServer.start(extraOptions));
    try {
      group.startReplicas(replicas, List.of(extraOptions));
      group.startSentinels();
      return group;
    } catch (RuntimeException | Error e) {
      group.close();
      throw e;
    }
  }

  private void startReplicas(int count, List<String> extraOptions) {
    var primaryPort = Integer.toString(lastPrimary.port());
    var options = new ArrayList<>(extraOptions);
    options.addAll(List.of("--replicaof", "127.0.0.1", primaryPort));
    for (int i = 0; i < count; i++) servers.add(RedisServer.start(options.toArray(String[]::new)));
    Eventually.holds(
        "the replicas are in sync",
        TIMEOUT,
        () ->
            servers.stream()
                .skip(1)
                .allMatch(s -> s.reports("master_link_status:up", "INFO", "replication")));
  }

  private void startSentinels() {
    var configuration =
        List.of(
            "sentinel monitor %s 127.0.0.1 %d %d".formatted(NAME, lastPrimary.port(), QUORUM),
            "sentinel down-after-milliseconds %s 1000".formatted(NAME),
            "sentinel failover-timeout %s 3000".formatted(NAME));
    for (int i = 0; i < SENTINELS; i++) {
      sentinels.add(
          RedisServer.start(1, ports -> LaunchSpec.sentinel(ports.getFirst(), configuration)));
    }
    Eventually.holds(
        "the sentinels have discovered the replicas and each other",
        TIMEOUT,
        () -> sentinels.stream().allMatch(this::hasDiscoveredAll));
  }

  private boolean hasDiscoveredAll(RedisServer sentinel) {
    var fields =
        sentinel.call("SENTINEL", "MASTER", NAME).items().stream().map(Reply::text).toList();
    return field("num-slaves", fields).equals(Integer.toString(servers.size() - 1))
        && field("num-other-sentinels", fields).equals(Integer.toString(SENTINELS - 1))
        && field("flags", fields).equals("master");
  }

  /** Returns the value after a name in a list of names and values. */
  private static String field(String name, List<String> fields) {
    return fields.get(fields.indexOf(name) + 1);
  }

  /** Returns a redis-sentinel URI with all Sentinels. */
  public String uri() {
    return sentinels.stream()
        .map(sentinel -> "127.0.0.1:" + sentinel.port())
        .collect(joining(",", "redis-sentinel://", "/0#" + NAME));
  }

  /** Returns all servers, running or not, the initial primary first. */
  public List<RedisServer> servers() {
    return List.copyOf(servers);
  }

  public List<RedisServer> sentinels() {
    return List.copyOf(sentinels);
  }

  /** Returns the primary as the first running Sentinel reports it. */
  public RedisServer primary() {
    return primarySeenBy(runningSentinels().getFirst());
  }

  /** Kills the primary and returns it. */
  public RedisServer killPrimary() {
    var primary = primary();
    primary.kill();
    return primary;
  }

  /**
   * Waits until the Sentinels agree on a primary other than the one at the start or after the last
   * failover, and it has that role.
   *
   * @return the new primary
   */
  public RedisServer awaitFailover() {
    var before = lastPrimary;
    Eventually.holds(
        "the sentinels agree on another primary than " + before,
        TIMEOUT,
        () -> {
          var now = primary();
          return now != before
              && runningSentinels().stream().allMatch(s -> primarySeenBy(s) == now)
              && now.reports("role:master", "INFO", "replication");
        });
    lastPrimary = primary();
    return lastPrimary;
  }

  @Override
  public void close() {
    // Stop the Sentinels first: otherwise they start a failover during shutdown.
    for (var sentinel : sentinels) sentinel.close();
    for (var server : servers) server.close();
  }

  private List<RedisServer> runningSentinels() {
    var running = sentinels.stream().filter(RedisServer::isRunning).toList();
    if (running.isEmpty())
      throw new IllegalStateException("no sentinel is running; restart() or resume() one");
    return running;
  }

  private RedisServer primarySeenBy(RedisServer sentinel) {
    var address = sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME).items();
    int port = Integer.parseInt(address.getLast().text());
    return servers.stream().filter(server -> server.port() == port).findFirst().orElseThrow();
  }
}
