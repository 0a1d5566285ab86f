package io.headgate.testkit.redis;

import static java.util.stream.Collectors.joining;

import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A primary, its replicas, and three sentinels that replace it once two of them have missed it for
 * a second.
 */
public final class RedisSentinelGroup implements AutoCloseable {
  public static final String NAME = "headgate";

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int SENTINELS = 3;
  private static final int QUORUM = 2;

  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedisServer> sentinels = new ArrayList<>();
  private RedisServer lastPrimary;

  private RedisSentinelGroup(RedisServer first) {
    servers.add(first);
    lastPrimary = first;
  }

  /** With one replica. */
  public static RedisSentinelGroup start() {
    return start(1);
  }

  /**
   * Returns when the replicas are in sync and the sentinels know them and each other.
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
        PATIENCE,
        () ->
            servers.stream()
                .skip(1)
                .allMatch(s -> s.says("master_link_status:up", "INFO", "replication")));
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
        "the sentinels know the replicas and each other",
        PATIENCE,
        () -> sentinels.stream().allMatch(this::knowsAll));
  }

  private boolean knowsAll(RedisServer sentinel) {
    var facts =
        sentinel.call("SENTINEL", "MASTER", NAME).items().stream().map(Reply::text).toList();
    return fact("num-slaves", facts).equals(Integer.toString(servers.size() - 1))
        && fact("num-other-sentinels", facts).equals(Integer.toString(SENTINELS - 1))
        && fact("flags", facts).equals("master");
  }

  /** Names and values take turns. */
  private static String fact(String name, List<String> facts) {
    return facts.get(facts.indexOf(name) + 1);
  }

  public String uri() {
    return sentinels.stream()
        .map(sentinel -> "127.0.0.1:" + sentinel.port())
        .collect(joining(",", "redis-sentinel://", "/0#" + NAME));
  }

  /** The one that began as the primary, then the others; dead or alive. */
  public List<RedisServer> servers() {
    return List.copyOf(servers);
  }

  public List<RedisServer> sentinels() {
    return List.copyOf(sentinels);
  }

  /** Who is the primary, as the first sentinel that can be asked sees it. */
  public RedisServer primary() {
    return primarySeenBy(runningSentinels().getFirst());
  }

  /** Kills the primary, and gives it. */
  public RedisServer killPrimary() {
    var primary = primary();
    primary.kill();
    return primary;
  }

  /**
   * Waits until the sentinels agree on another primary than at the start or after the last
   * failover, and it serves as one; gives it.
   */
  public RedisServer awaitFailover() {
    var before = lastPrimary;
    Eventually.holds(
        "the sentinels agree on another primary than " + before,
        PATIENCE,
        () -> {
          var now = primary();
          return now != before
              && runningSentinels().stream().allMatch(s -> primarySeenBy(s) == now)
              && now.says("role:master", "INFO", "replication");
        });
    lastPrimary = primary();
    return lastPrimary;
  }

  @Override
  public void close() {
    // The sentinels first: they would start a failover while the group goes down.
    for (var sentinel : sentinels) sentinel.close();
    for (var server : servers) server.close();
  }

  private List<RedisServer> runningSentinels() {
    var running = sentinels.stream().filter(RedisServer::isRunning).toList();
    if (running.isEmpty())
      throw new IllegalStateException("no sentinel runs; restart() or resume() one");
    return running;
  }

  private RedisServer primarySeenBy(RedisServer sentinel) {
    var address = sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME).items();
    int port = Integer.parseInt(address.getLast().text());
    return servers.stream().filter(server -> server.port() == port).findFirst().orElseThrow();
  }
}
