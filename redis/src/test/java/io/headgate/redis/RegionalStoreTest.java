package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.ClientLease;
import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.RegionScope;
import io.headgate.rule.RegionSettings;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FaultProxy;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs regions with a real Redis each, and one at home behind a proxy that delays and cuts. */
class RegionalStoreTest {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final List<String> NAMES = List.of("eu", "us", "ap");
  private static final List<Integer> ONE_WAY_MILLIS = List.of(1, 40, 75);

  /** The pause of a refused caller: much shorter than a lease, and long enough to leave the CPU. */
  private static final long REFUSED_PAUSE_NANOS = Duration.ofMillis(5).toNanos();

  private static final Rate HUNDRED_AN_HOUR = Rate.of(100, Duration.ofHours(1));
  private static final TokenBucket BUCKET = TokenBucket.of(HUNDRED_AN_HOUR);

  private static RedisServer regional;
  private RedisServer home;
  private final List<FaultProxy> proxies = new ArrayList<>();
  private final List<RateLimiter> limiters = new ArrayList<>();
  private final List<RegionalStore> stores = new ArrayList<>();

  @BeforeAll
  static void startRegional() {
    regional = RedisServer.start();
  }

  @AfterAll
  static void stopRegional() {
    regional.close();
  }

  @BeforeEach
  void startHome() {
    home = RedisServer.start();
    home.call("SET", "headgate:home:ready", "new");
  }

  @AfterEach
  void stop() {
    limiters.forEach(RateLimiter::close);
    proxies.forEach(FaultProxy::close);
    home.close();
  }

  private void startRegions(Rule rule) {
    for (int i = 0; i < NAMES.size(); i++) {
      var proxy = FaultProxy.to(home.port());
      proxies.add(proxy);
      var store =
          RegionalStore.connect(
              new RegionOptions(
                  NAMES.get(i),
                  RedisOptions.builder(regional.uri())
                      .prefix(rule.id() + ":" + NAMES.get(i) + ":")
                      .deadline(Duration.ofSeconds(5))
                      .build(),
                  RedisOptions.builder("redis://127.0.0.1:" + proxy.port())
                      .deadline(Duration.ofSeconds(1))
                      .build(),
                  LEASE));
      stores.add(store);
      limiters.add(RateLimiter.with(store, List.of(rule)));
    }
    for (int i = 0; i < NAMES.size(); i++) {
      var store = stores.get(i);
      Eventually.holds("home is ready", Duration.ofSeconds(10), store::isHomeReady);
      proxies.get(i).delay(Duration.ofMillis(ONE_WAY_MILLIS.get(i)));
    }
  }

  private static Rule.Builder shared(String id) {
    return Rule.named(id).match("user", "*").limit(BUCKET);
  }

  /** Admits one check of a region. On a busy machine, the first reply of home may be late. */
  private void awaitShare(int region) {
    Eventually.holds("home grants", Duration.ofSeconds(20), () -> check(limiters.get(region)));
  }

  private static boolean check(RateLimiter limiter) {
    return limiter.check(Subject.of("user", "42")).isAllowed();
  }

  /**
   * Checks in all regions at once until each region is refused repeatedly; returns the admitted.
   */
  private long admittedInAllRegions() throws InterruptedException, ExecutionException {
    var jobs = new ArrayList<Callable<Long>>();
    for (var limiter : limiters) {
      jobs.add(() -> {
        long admitted = 0;
        long end = System.nanoTime() + 3_000_000_000L;
        while (System.nanoTime() - end < 0) {
          if (check(limiter)) admitted++;
          else LockSupport.parkNanos(REFUSED_PAUSE_NANOS);
        }
        return admitted;
      });
    }
    long sum = 0;
    try (var threads = Executors.newFixedThreadPool(jobs.size())) {
      for (var job : threads.invokeAll(jobs)) sum += job.get();
    }
    return sum;
  }

  @Test
  void storeWithCompactKeysIsRejectedAndStaysOpen() {
    var options = RegionOptions.of("eu", regional.uri(), home.uri());
    var compact =
        RedisOptions.builder(regional.uri())
            .layout(KeyLayout.COMPACT)
            .deadline(Duration.ofSeconds(5))
            .build();
    try (var store = RedisStore.connect(compact)) {
      assertThatThrownBy(() -> RegionalStore.connect(options, store))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "the key layout compact can't be combined with a home of regions; use the layout"
                  + " separate");
      var limiter = RateLimiter.with(store, List.of(Rule.named("own").limit(BUCKET).build()));
      assertThat(limiter.checkForResult(Subject.of("x")).source()).isEqualTo(Source.STORE);
    }
  }

  @Test
  void exampleOfTheJavadoc() {
    boolean allowed;
    String regionalUri = regional.uri();
    String homeUri = home.uri();
    var rules = List.of(shared("example").build());
    // @start region="connect"
    var options = RegionOptions.of("eu", regionalUri, homeUri);
    try (var limiter = RateLimiter.with(RegionalStore.connect(options), rules)) {
      allowed = limiter.check(Subject.of("user", "42")).isAllowed();
    }
    // @end
    assertThat(allowed).isIn(true, false); // home may not be open yet
  }

  @Test
  void regionsTogetherAdmitTheLimitAndNoMore() throws Exception {
    startRegions(shared("together").build());
    assertThat(admittedInAllRegions()).isBetween(90L, 100L);
  }

  @Test
  void checkIsDecidedByTheShareOfTheRegion() {
    startRegions(shared("source").build());
    awaitShare(2);
    var result = limiters.get(2).checkForResult(Request.of(Subject.of("user", "42")));
    assertThat(result.source()).isEqualTo(Source.LEASE);
  }

  @Test
  void regionThatIsCutOffSpendsItsShareAndNoMore() throws Exception {
    startRegions(shared("cut-off").build());
    awaitShare(0);
    awaitShare(1);
    proxies.get(1).blackhole();
    long cutOff = 0;
    for (int i = 0; i < 200; i++) {
      if (check(limiters.get(1))) cutOff++;
    }
    long others = admittedInAllRegions();
    assertThat(2 + cutOff + others).isBetween(50L, 100L);
    assertThat(limiters.get(1).checkForResult(request()).source()).isEqualTo(Source.REGION);
    // The store at home would report a local share of the whole limit.
    Eventually.holds(
        "a peek shows no permits of other regions",
        Duration.ofSeconds(20),
        () -> {
          var peek = limiters.get(1).peek(request());
          return peek.source() == Source.REGION && !peek.isAllowed();
        });
  }

  @Test
  void clientsOfAllRegionsHoldAtMostTheLimit() {
    startRegions(shared("clients").consistency(Consistency.LEASED).build());
    long held = 0;
    for (int i = 0; i < 30; i++) {
      for (var limiter : limiters) {
        var lease = limiter.leases().acquireAsync(request(), 100).toCompletableFuture().join();
        if (lease instanceof ClientLease.Granted granted) held += granted.checks();
      }
    }
    assertThat(held).isEqualTo(100);
  }

  private static Request request() {
    return Request.of(Subject.of("user", "42"));
  }

  @Test
  void homeThatRestartsEmptyDoesNotGrantTheLimitAgain() throws Exception {
    startRegions(shared("restarted").build());
    long before = admittedInAllRegions();
    home.kill();
    home.restart();
    long waiting = admittedInAllRegions();
    for (var store : stores) {
      Eventually.holds("home is ready again", Duration.ofSeconds(20), store::isHomeReady);
    }
    long after = admittedInAllRegions();
    assertThat(before + waiting + after).isBetween(90L, 100L);
    assertThat(home.call("GET", "headgate:home:ready").toString()).doesNotContain("'0:");
  }

  @Test
  void splitIsDecidedWithoutHome() {
    var rule =
        shared("split")
            .regions(new RegionSettings(Optional.empty(), Map.of("eu", 600, "us", 400)))
            .build();
    startRegions(rule);
    proxies.forEach(FaultProxy::blackhole);
    var admitted = new long[3];
    for (int i = 0; i < 100; i++) {
      for (int r = 0; r < 3; r++) {
        if (check(limiters.get(r))) admitted[r]++;
      }
    }
    assertThat(admitted).containsExactly(60, 40, 0);
  }

  @Test
  void scopesLocalAndHomeCountPerRegionAndAtHome() {
    var rules = new ArrayList<Rule>();
    var window = RollingWindow.of(Rate.of(5, Duration.ofHours(1)));
    rules.add(
        Rule.named("local")
            .match("local", "*")
            .limit(window)
            .regions(new RegionSettings(Optional.of(RegionScope.LOCAL), Map.of()))
            .build());
    rules.add(Rule.named("home").match("home", "*").limit(window).build());
    startRegions(shared("scopes").build());
    limiters.forEach(limiter -> limiter.replaceRules(RuleSet.of(rules)));
    long local = 0;
    long atHome = 0;
    for (int i = 0; i < 10; i++) {
      for (var limiter : limiters) {
        if (limiter.check(Subject.of("local", "a")).isAllowed()) local++;
        if (limiter.check(Subject.of("home", "a")).isAllowed()) atHome++;
      }
    }
    assertThat(local).isEqualTo(15);
    assertThat(atHome).isEqualTo(5);
  }

  @Test
  void longerLeaseThanThatOfHomeIsRefused() {
    startRegions(shared("lease").build());
    var longer =
        new RegionOptions(
            "eu",
            RedisOptions.of(regional.uri()),
            RedisOptions.of(home.uri()),
            LEASE.multipliedBy(2));
    try (var limiter =
        RateLimiter.with(RegionalStore.connect(longer), List.of(shared("lease").build()))) {
      assertThat(check(limiter)).isFalse();
      assertThat(((RegionalStore) limiter.store()).homeProblem()).contains("--region-lease");
    }
  }

  @Test
  void reportsOfAllRegionsAreSeenByEach() {
    startRegions(shared("reports").build());
    stores.getFirst().reportRevision(() -> 7);
    awaitShare(0);
    var last = stores.getLast();
    Eventually.holds(
        "three regions report",
        Duration.ofSeconds(10),
        () ->
            last.reports().stream().map(RegionReport::region).distinct().count() == 3
                && last.reports().stream().anyMatch(report -> report.revision() == 7)
                && last.reports().stream()
                    .anyMatch(report -> report.rules().containsKey("reports")));
  }

  @Test
  void clusterCanNotBeHome() {
    assertThatThrownBy(() -> RegionOptions.of("eu", "redis://127.0.0.1:1", "redis-cluster://a:1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("home can't be a Redis Cluster");
  }
}
