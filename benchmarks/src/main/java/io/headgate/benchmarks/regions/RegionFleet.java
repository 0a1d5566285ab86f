package io.headgate.benchmarks.regions;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.ScratchDirectory;
import io.headgate.testkit.net.FaultProxy;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Three regions, each a process of the service with a Redis process of its own, and home behind a
 * proxy for each region: at hand for the first, 80 and 150 ms away for the others.
 */
final class RegionFleet implements AutoCloseable {
  static final List<String> NAMES = List.of("eu", "us", "ap");
  static final Duration LEASE = Duration.ofSeconds(6);
  private static final List<Integer> ONE_WAY_MILLIS = List.of(0, 40, 75);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String jar;
  private final ScratchDirectory folder = ScratchDirectory.create("headgate-regions");
  private final RedisServer home = RedisServer.start();
  private final List<RedisServer> regional = new ArrayList<>();
  private final List<FaultProxy> proxies = new ArrayList<>();
  private final List<RegionProcess> processes = new ArrayList<>();
  private double requestsOfKilled;

  /**
   * Starts the processes, and waits until home grants shares to all of them.
   *
   * @param rules the rule file
   */
  RegionFleet(Path jar, String rules) throws IOException {
    this.jar = jar.toString();
    Files.writeString(folder.resolve("rules.yaml"), rules);
    home.call("SET", "headgate:home:ready", "new");
    for (int i = 0; i < NAMES.size(); i++) {
      regional.add(RedisServer.start());
      proxies.add(FaultProxy.to(home.port()));
      processes.add(start(i));
    }
    for (var process : processes) {
      Eventually.holds("home is ready", PATIENCE, process::isHomeReady);
    }
    for (int i = 0; i < NAMES.size(); i++) restore(i);
  }

  private RegionProcess start(int region) throws IOException {
    var args = new ArrayList<>(args(region));
    args.addAll(List.of("--region", NAMES.get(region)));
    args.addAll(List.of("--home", "redis://127.0.0.1:" + proxies.get(region).port()));
    args.addAll(List.of("--region-lease", LEASE.toSeconds() + "s"));
    return new RegionProcess(jar, args);
  }

  private List<String> args(int region) throws IOException {
    return List.of(
        "--rules",
        folder.resolve("rules.yaml").toString(),
        "--data",
        Files.createTempDirectory(folder.path(), "data").toString(),
        "--store-timeout",
        "5s",
        "--store",
        regional.get(region).uri());
  }

  /** Starts a process that has the Redis of a region for itself, and no home. */
  RegionProcess startAlone(int region) throws IOException {
    var args = new ArrayList<>(args(region));
    args.addAll(List.of("--store-prefix", "single:"));
    return new RegionProcess(jar, args);
  }

  RegionProcess process(int region) {
    synchronized (processes) {
      return processes.get(region);
    }
  }

  double homeRequests() {
    return requestsOfKilled + processes.stream().mapToDouble(RegionProcess::homeRequests).sum();
  }

  /** Lets the messages of a region pass, with its delay. */
  void restore(int region) {
    int millis = ONE_WAY_MILLIS.get(region);
    if (millis == 0) proxies.get(region).pass();
    else proxies.get(region).delay(Duration.ofMillis(millis));
  }

  void cutOff(int region) {
    proxies.get(region).blackhole();
  }

  /** Has home execute the requests of a region without a reply. */
  void loseReplies(int region) {
    proxies.get(region).loseReplies();
  }

  /** Kills an instance, and starts another one. */
  void kill(int region) throws IOException, InterruptedException {
    var killed = process(region);
    requestsOfKilled += killed.homeRequests();
    killed.kill();
    killed.close();
    var next = start(region);
    synchronized (processes) {
      processes.set(region, next);
    }
  }

  void restartHomeEmpty() {
    home.kill();
    home.restart();
  }

  @Override
  public void close() {
    processes.forEach(RegionProcess::close);
    proxies.forEach(FaultProxy::close);
    regional.forEach(RedisServer::close);
    home.close();
    folder.close();
  }
}
