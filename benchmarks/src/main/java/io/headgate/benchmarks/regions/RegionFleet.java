package io.headgate.benchmarks.regions;

import io.headgate.RateLimiter;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RegionOptions;
import io.headgate.redis.RegionalStore;
import io.headgate.rule.Rule;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FaultProxy;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Three regions, each with a Redis process of its own, and home behind a proxy for each region: at
 * hand for the first, 80 and 150 ms away for the others.
 */
final class RegionFleet implements AutoCloseable {
  static final List<String> NAMES = List.of("eu", "us", "ap");
  static final Duration LEASE = Duration.ofSeconds(6);
  private static final List<Integer> ONE_WAY_MILLIS = List.of(0, 40, 75);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  final RedisServer home = RedisServer.start();
  private final List<RedisServer> regional = new ArrayList<>();
  private final List<FaultProxy> proxies = new ArrayList<>();
  private final List<RegionalStore> stores = new ArrayList<>();
  private final List<RateLimiter> limiters = new ArrayList<>();
  private final Rule rule;

  RegionFleet(Rule rule) {
    this.rule = rule;
    home.call("SET", "headgate:home:ready", "new");
    for (int i = 0; i < NAMES.size(); i++) {
      regional.add(RedisServer.start());
      proxies.add(FaultProxy.to(home.port()));
      start(i);
    }
    awaitHome();
    for (int i = 0; i < NAMES.size(); i++) restore(i);
  }

  private void start(int region) {
    var store =
        RegionalStore.connect(
            new RegionOptions(
                NAMES.get(region),
                RedisOptions.builder(regional.get(region).uri())
                    .deadline(Duration.ofSeconds(5))
                    .build(),
                RedisOptions.builder("redis://127.0.0.1:" + proxies.get(region).port())
                    .deadline(Duration.ofSeconds(1))
                    .build(),
                LEASE));
    if (region == stores.size()) {
      stores.add(store);
      limiters.add(RateLimiter.with(store, List.of(rule)));
    } else {
      stores.set(region, store);
      limiters.set(region, RateLimiter.with(store, List.of(rule)));
    }
  }

  void awaitHome() {
    for (var store : stores) Eventually.holds("home is ready", PATIENCE, store::isHomeReady);
  }

  RateLimiter limiter(int region) {
    return limiters.get(region);
  }

  RedisServer regional(int region) {
    return regional.get(region);
  }

  long homeRequests() {
    return stores.stream().mapToLong(RegionalStore::homeRequests).sum();
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

  /** Ends an instance without a word to home, and starts another one. */
  void crash(int region) {
    cutOff(region);
    limiters.get(region).close();
    restore(region);
    start(region);
  }

  void restartHomeEmpty() {
    home.kill();
    home.restart();
  }

  @Override
  public void close() {
    limiters.forEach(RateLimiter::close);
    proxies.forEach(FaultProxy::close);
    regional.forEach(RedisServer::close);
    home.close();
  }
}
