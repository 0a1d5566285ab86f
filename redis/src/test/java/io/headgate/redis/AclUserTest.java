package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisCluster;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the ACL user of docs/operations.md has exactly the rights that the store needs. */
class AclUserTest {
  private static final Path PAGE = Path.of("..", "docs", "operations.md");
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Rate TEN_A_DAY = Rate.of(10, Duration.ofDays(1));
  private static final List<Limit> LIMITS =
      List.of(
          TokenBucket.of(TEN_A_DAY),
          FixedWindow.of(TEN_A_DAY),
          SlidingWindow.of(TEN_A_DAY),
          RollingWindow.of(TEN_A_DAY),
          RollingWindow.of(Rate.of(5, Duration.ofDays(2))),
          Concurrency.of(10),
          AdaptiveConcurrency.between(10, 20),
          new FairShare(TokenBucket.of(TEN_A_DAY).withBurst(20), FairSharing.among("tenant")));

  private static final Rate THOUSAND_A_DAY = Rate.of(1_000, Duration.ofDays(1));

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static List<String> recommended() {
    return lines().getFirst();
  }

  /** Returns the words of the two ACL lines: the general one, and the addition for clusters. */
  private static List<List<String>> lines() {
    try {
      var lines =
          Files.readAllLines(PAGE).stream()
              .filter(line -> line.startsWith("ACL SETUSER headgate "))
              .map(line -> List.of(line.split(" ", -1)))
              .toList();
      assertThat(lines).as("lines of ACL SETUSER headgate in %s", PAGE).hasSize(2);
      return lines;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static List<String> rights() {
    return recommended().stream().filter(word -> word.matches("[+~&].*")).toList();
  }

  @Test
  void recommendedUserHasAllNeededRights() {
    setUser(recommended());
    assertThat(sources()).containsOnly(Source.STORE, Source.CACHE);
    assertThat(refusedCommands()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("rights")
  void everyRightOfTheUserIsNeeded(String right) {
    var fewer = new ArrayList<>(recommended());
    fewer.remove(right);
    setUser(fewer);
    try (var store = RedisStore.connect(options());
        var other = RedisStore.connect(options())) {
      runUntilRefused(store, other);
    }
    Eventually.holds(
        "a command is refused without " + right, TIMEOUT, () -> !refusedCommands().isEmpty());
  }

  static List<Arguments> localDecisions() {
    return List.of(
        Arguments.of(Consistency.LEASED, Source.LEASE),
        Arguments.of(Consistency.EVENTUAL, Source.CACHE),
        Arguments.of(Consistency.AUTO, Source.LEASE));
  }

  /** Instances that decide locally acquire, renew and return holds, and send reports. */
  @ParameterizedTest
  @MethodSource("localDecisions")
  void recommendedUserHasTheRightsOfLocalDecisions(Consistency consistency, Source source) {
    setUser(recommended());
    for (var limit :
        List.of(
            TokenBucket.of(THOUSAND_A_DAY),
            FixedWindow.of(THOUSAND_A_DAY),
            SlidingWindow.of(THOUSAND_A_DAY))) {
      var rules =
          RuleSet.of(Rule.named("r").per("key").limit(limit).consistency(consistency).build());
      var subject = Subject.of(limit.algorithm().name());
      long admitted;
      try (var limiter = RateLimiter.with(RedisStore.connect(options()), rules)) {
        admitted = admitUntil(source, limiter, subject);
      }
      try (var limiter = RateLimiter.with(RedisStore.connect(options()), rules)) {
        Eventually.holds(
            "the store has received every report",
            TIMEOUT,
            () -> remaining(limiter, subject) == 1_000 - admitted);
        attempt(() -> limiter.reset(subject, "r"));
      }
    }
    assertThat(refusedCommands()).isEmpty();
  }

  /** Makes checks until one is decided by the given source; returns how many were admitted. */
  private static long admitUntil(Source source, RateLimiter limiter, Subject subject) {
    for (int i = 1; i <= 900; i++) {
      var result = limiter.checkForResult(subject);
      assertThat(result.isAllowed()).isTrue();
      if (result.source() == source) return i;
    }
    throw new AssertionError("no check was decided by " + source + ": " + refusedCommands());
  }

  private static long remaining(RateLimiter limiter, Subject subject) {
    return limiter.peek(subject).limit().orElseThrow().remaining();
  }

  /** Overlapping reservations also write returns, and a reset records itself. */
  @Test
  void recommendedUserHasTheRightsOfReservations() {
    setUser(recommended());
    for (var limit : List.of(TokenBucket.of(THOUSAND_A_DAY), FixedWindow.of(THOUSAND_A_DAY))) {
      var rules = RuleSet.of(Rule.named("r").per("key").limit(limit).build());
      var request = Request.of(Subject.of("reserved:" + limit.algorithm()), 100);
      try (var limiter = RateLimiter.with(RedisStore.connect(options()), rules)) {
        var first = limiter.reserve(request);
        var second = limiter.reserve(request);
        first.settle(Costs.plain(10));
        second.update(Costs.plain(20));
        second.settle(Costs.plain(30));
        assertThat(remaining(limiter, request.subject())).isEqualTo(1_000 - 40);
        limiter.reset(request.subject(), "r");
      }
    }
    assertThat(refusedCommands()).isEmpty();
  }

  /** Each limit is beside a token bucket, so that states move to a shared key and out of it. */
  @Test
  void recommendedUserHasTheRightsOfTheCompactLayout() {
    setUser(recommended());
    var compact = options().toBuilder().layout(KeyLayout.COMPACT).build();
    try (var separate = RedisStore.connect(options());
        var store = RedisStore.connect(compact)) {
      for (var limit : LIMITS) {
        var rule =
            Rule.named("r")
                .limit(RuleLimit.of("own", limit).withPer("key"))
                .limit(RuleLimit.of("calls", TokenBucket.of(THOUSAND_A_DAY)).withPer("key"))
                .build();
        for (var each : List.of(separate, store)) {
          var limiter = RateLimiter.with(each, RuleSet.of(rule));
          for (int i = 0; i < 3; i++) {
            var result = limiter.checkForResult(Subject.of("x"));
            assertThat(result.source()).isEqualTo(Source.STORE);
          }
        }
      }
      for (var name : List.of("x", "unknown")) {
        var rule = Rule.named("r").limit(RuleLimit.of("calls", LIMITS.getFirst()).withPer("key"));
        RateLimiter.with(store, RuleSet.of(rule.build())).reset(Subject.of(name), "r");
      }
    }
    assertThat(refusedCommands()).isEmpty();
  }

  @Test
  void recommendedUserHasTheRightsOfFairSharing() {
    setUser(recommended());
    var limit =
        new FairShare(TokenBucket.of(THOUSAND_A_DAY), FairSharing.among("key").withWeight("a", 3));
    try (var store = RedisStore.connect(options())) {
      var limiter = RateLimiter.with(store, RuleSet.of(Rule.named("r").limit(limit).build()));
      for (int i = 0; i < 10; i++) {
        var result = limiter.checkForResult(Subject.of(i % 2 == 0 ? "a" : "b"));
        assertThat(result.source()).isEqualTo(Source.STORE);
      }
      limiter.reset(Subject.of("a"), "r");
    }
    assertThat(refusedCommands()).isEmpty();
  }

  @Test
  void recommendedUserIsDeniedOtherCommands() {
    setUser(recommended());
    for (var command : List.of("FLUSHALL", "KEYS *", "CONFIG GET maxmemory", "SCRIPT FLUSH")) {
      var words = new ArrayList<>(List.of("ACL", "DRYRUN", "headgate"));
      words.addAll(Arrays.asList(command.split(" ", -1)));
      assertThat(server.call(words.toArray(String[]::new)).text())
          .startsWith("This user has no permissions");
    }
    assertThat(server.call("ACL", "DRYRUN", "headgate", "GET", "session:42").text())
        .startsWith("This user has no permissions");
  }

  @Test
  void clusterUserHasAllNeededRights() {
    try (var cluster = RedisCluster.start(3, 0)) {
      for (var node : cluster.nodes()) {
        for (var line : lines()) node.call(line.toArray(String[]::new));
        node.call("ACL", "LOG", "RESET");
      }
      var uri = cluster.uri().replace("://", "://headgate:secret@");
      var options = RedisOptions.builder(uri).deadline(Duration.ofSeconds(10)).build();
      try (var store = RedisStore.connect(options)) {
        var limiter = RateLimiter.with(store, rules(TokenBucket.of(TEN_A_DAY)));
        for (int i = 0; i < 20; i++) {
          var result = limiter.checkForResult(Subject.of("user:" + i));
          assertThat(result.source()).isEqualTo(Source.STORE);
          if (i % 2 == 0) limiter.reset(Subject.of("user:" + i), "r");
        }
        assertThat(store.trackedKeys()).isPositive();
        exchangeBroadcast(store, store);
      }
      for (var node : cluster.nodes()) {
        assertThat(node.call("ACL", "LOG").items()).isEmpty();
      }
    }
  }

  private static void setUser(List<String> line) {
    server.call("FLUSHALL");
    server.call("SCRIPT", "FLUSH");
    server.call(line.toArray(String[]::new));
    server.call("ACL", "LOG", "RESET");
  }

  private static RedisOptions options() {
    var address = "redis://headgate:secret@127.0.0.1:" + server.port();
    return RedisOptions.builder(address).deadline(Duration.ofSeconds(10)).build();
  }

  private static List<String> refusedCommands() {
    return server.call("ACL", "LOG").items().stream().map(Object::toString).toList();
  }

  /**
   * Runs every operation of strict rules, and the broadcast; returns the sources of the decisions.
   */
  private static List<Source> sources() {
    var sources = new ArrayList<Source>();
    try (var store = RedisStore.connect(options());
        var other = RedisStore.connect(options())) {
      for (var before : LIMITS) {
        for (var after : LIMITS) {
          changeLimit(store, before, after, sources);
        }
      }
      chargeSortedSet(store);
      attempt(() -> store.trackedKeys());
      receiveReset(store, other);
      exchangeBroadcast(store, other);
    }
    return sources;
  }

  /** Runs the operations of {@link #sources} until the server has refused a command. */
  private static void runUntilRefused(RedisStore store, RedisStore other) {
    for (var before : LIMITS) {
      for (var after : LIMITS) {
        if (!refusedCommands().isEmpty()) return;
        changeLimit(store, before, after, new ArrayList<>());
      }
    }
    chargeSortedSet(store);
    attempt(() -> store.trackedKeys());
    receiveReset(store, other);
    exchangeBroadcast(store, other);
  }

  /** Changes the limit of a counter and runs all operations under both limits. */
  private static void changeLimit(
      RedisStore store, Limit before, Limit after, List<Source> sources) {
    var subject = Subject.of("x");
    for (var limit : List.of(before, after)) {
      var limiter = RateLimiter.with(store, rules(limit));
      for (long cost : new long[] {1, 3, 0, 10}) {
        sources.add(limiter.checkForResult(Request.of(subject, cost)).source());
      }
      sources.add(limiter.peek(subject).source());
      var slot = limiter.acquire(subject);
      sources.add(slot.result().source());
      attempt(slot::renew);
      slot.close();
    }
    var limiter = RateLimiter.with(store, rules(after));
    attempt(() -> limiter.reset(subject, "r"));
    attempt(() -> {
      var slot = limiter.acquire(subject);
      slot.close(); // the only slot, so that the key is deleted
    });
    attempt(() -> limiter.acquire(subject).success());
    attempt(() -> limiter.reset(subject, "r"));
  }

  /**
   * Charges a rolling window that is a sorted set, as one of many requests or of an earlier
   * version: its running total grows by a digit, a member expires and its limit changes.
   */
  private static void chargeSortedSet(RedisStore store) {
    var time = server.call("TIME").items().getFirst() + "000000";
    var key = "headgate:{z}r";
    server.call("ZADD", key, "-1", "R86400000000:10", "1", "9999999998", time, "9999999999");
    for (var rate : List.of(TEN_A_DAY, THOUSAND_A_DAY)) {
      RateLimiter.with(store, rules(RollingWindow.of(rate))).check(Subject.of("z"));
    }
  }

  /** Waits until denials are cached, which needs a subscription, and resets a counter. */
  private static void receiveReset(RedisStore store, RedisStore other) {
    var rules = rules(TokenBucket.of(TEN_A_DAY));
    var limiter = RateLimiter.with(store, rules);
    Eventually.holds(
        "denials are cached, or a command is refused",
        TIMEOUT,
        () -> {
          limiter.check(Request.of(Subject.of("y"), 10));
          boolean cached = limiter.checkForResult(Subject.of("y")).source() == Source.CACHE;
          return cached || !refusedCommands().isEmpty();
        });
    attempt(() -> RateLimiter.with(other, rules).reset(Subject.of("y"), "r"));
  }

  /** Posts to a topic until the notice is received or a command is refused. */
  private static void exchangeBroadcast(RedisStore from, RedisStore to) {
    var received = new ConcurrentLinkedQueue<String>();
    to.broadcast().listen("rules:x", received::add);
    Eventually.holds(
        "the notice is received, or a command is refused",
        TIMEOUT,
        () -> {
          attempt(() ->
              from.broadcast()
                  .post("rules:x", new byte[1], Duration.ofMinutes(1), "7")
                  .thenCompose(posted -> to.broadcast().read("rules:x"))
                  .toCompletableFuture()
                  .join());
          return !received.isEmpty() || !refusedCommands().isEmpty();
        });
  }

  private static RuleSet rules(Limit limit) {
    return RuleSet.of(Rule.named("r").per("key").limit(limit).build());
  }

  private static void attempt(Runnable task) {
    try {
      task.run();
    } catch (StoreException | CompletionException e) {
      // Refused commands are in the ACL log of the server.
    }
  }
}
