package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.FailurePolicy.Deny;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisCluster;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests checks while a hash slot is migrated from one node to another. */
class ReshardingTest {
  private static final String SUBJECT = "moving";
  private static final int SLOT = RedisCluster.slotOf(SUBJECT);
  private static final RuleSet RULES =
      RuleSet.of(
          rule("calls").limit(TokenBucket.of(Rate.perHour(100))).build(),
          rule("quota").limit(FixedWindow.of(Rate.perDay(1_000))).build());

  private static RedisCluster cluster;

  private static Rule.Builder rule(String id) {
    return Rule.named(id).match("key", "*").onStoreFailure(new Deny());
  }

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start(3, 0);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** While two nodes have one key each, both reply TRYAGAIN and charge nothing. */
  @Test
  void planOverHalfMigratedSlotIsRetriedUntilMigrationEnds() throws Exception {
    var from = cluster.primaryOfSlot(SLOT);
    var to = cluster.nodes().stream().filter(node -> node != from).findFirst().orElseThrow();
    var options = RedisOptions.builder(cluster.uri()).deadline(Duration.ofSeconds(20)).build();
    try (var store = RedisStore.connect(options)) {
      var limiter = RateLimiter.with(store, RULES);
      var request = Request.of(Subject.of(SUBJECT));
      assertThat(limiter.checkForResult(request).source()).isEqualTo(Source.STORE);

      to.call("CLUSTER", "SETSLOT", slot(), "IMPORTING", from.call("CLUSTER", "MYID").text());
      from.call("CLUSTER", "SETSLOT", slot(), "MIGRATING", to.call("CLUSTER", "MYID").text());
      move("headgate:{moving}calls", from, to);
      var result = limiter.checkForResultAsync(request).toCompletableFuture();
      Eventually.holds(
          "the source node has replied TRYAGAIN",
          Duration.ofSeconds(20),
          () -> tryAgainErrors(from) > 0);
      assertThat(result).isNotDone();
      cluster.migrateSlot(SLOT, to);

      var decided = result.get(20, TimeUnit.SECONDS);
      assertThat(decided.source()).isEqualTo(Source.STORE);
      assertThat(decided.limits())
          .extracting(limit -> limit.remaining())
          .containsExactly(98L, 998L);
    }
  }

  /**
   * A counter has two keys in the layout compact, of which one exists. A node that has lost or not
   * yet received it replies TRYAGAIN, and never begins with a fresh counter.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void counterOfASharedKeyIsContinuedAfterTheMigration(boolean isMoved) throws Exception {
    var subject = isMoved ? "moved" : "staying";
    int slot = RedisCluster.slotOf(subject);
    var from = cluster.primaryOfSlot(slot);
    var to = cluster.nodes().stream().filter(node -> node != from).findFirst().orElseThrow();
    var rules =
        RuleSet.of(
            rule("contract")
                .limit(RuleLimit.of("calls", TokenBucket.of(Rate.perHour(100))).withPer("key"))
                .limit(RuleLimit.of("quota", FixedWindow.of(Rate.perDay(1_000))).withPer("key"))
                .build());
    var options =
        RedisOptions.builder(cluster.uri())
            .deadline(Duration.ofSeconds(20))
            .layout(KeyLayout.COMPACT)
            .build();
    try (var store = RedisStore.connect(options)) {
      var limiter = RateLimiter.with(store, rules);
      var request = Request.of(Subject.of(subject));
      assertThat(limiter.checkForResult(request).source()).isEqualTo(Source.STORE);
      for (int i = 0; i < 30; i++) limiter.check(Subject.of("other:" + i)); // connects to all nodes

      to.call("CLUSTER", "SETSLOT", text(slot), "IMPORTING", from.call("CLUSTER", "MYID").text());
      from.call("CLUSTER", "SETSLOT", text(slot), "MIGRATING", to.call("CLUSTER", "MYID").text());
      if (isMoved) move("headgate:{moved}contract|", from, to);
      var node = isMoved ? to : from;
      node.call("CONFIG", "RESETSTAT");
      var result = limiter.checkForResultAsync(request).toCompletableFuture();
      Eventually.holds(
          "the node with the key has replied TRYAGAIN",
          Duration.ofSeconds(20),
          () -> tryAgainErrors(node) > 0);
      assertThat(result).isNotDone();
      cluster.migrateSlot(slot, to);

      var decided = result.get(20, TimeUnit.SECONDS);
      assertThat(decided.source()).isEqualTo(Source.STORE);
      assertThat(decided.limits())
          .extracting(limit -> limit.remaining())
          .containsExactly(98L, 998L);
      limiter.reset(Subject.of(subject), "contract");
      assertThat(limiter.checkForResult(request).limits())
          .extracting(limit -> limit.remaining())
          .containsExactly(99L, 999L);
    }
  }

  private static void move(String key, RedisServer from, RedisServer to) {
    var port = Integer.toString(to.port());
    from.call("MIGRATE", "127.0.0.1", port, "", "0", "5000", "KEYS", key);
  }

  private static long tryAgainErrors(RedisServer server) {
    return server
        .call("INFO", "errorstats")
        .text()
        .lines()
        .filter(line -> line.startsWith("errorstat_TRYAGAIN"))
        .count();
  }

  private static String slot() {
    return text(SLOT);
  }

  private static String text(int slot) {
    return Integer.toString(slot);
  }
}
