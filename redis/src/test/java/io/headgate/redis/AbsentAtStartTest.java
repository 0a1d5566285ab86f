package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.redis.RedisAddress.Topology;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisCluster;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Redis need not be there when an instance starts. */
class AbsentAtStartTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void policiesDecideUntilAServerComes() {
    try (var server = RedisServer.start()) {
      server.kill();
      comes(new Site(Topology.STANDALONE, server.uri(), List.of(server)));
    }
  }

  /** Connections are accepted there, and nothing is ever said. */
  @Test
  void policiesDecideUntilASilentServerSpeaks() {
    try (var server = RedisServer.start()) {
      server.pause();
      comes(server.uri(), server::resume);
    }
  }

  @Test
  void policiesDecideUntilAClusterComes() {
    try (var cluster = RedisCluster.start(1, 0)) {
      var node = cluster.nodes().getFirst();
      node.kill();
      comes(new Site(Topology.CLUSTER, cluster.uri(), List.of(node)));
    }
  }

  private static void comes(Site site) {
    comes(site.uri(), () -> site.servers().forEach(RedisServer::restart));
  }

  private static void comes(String uri, Runnable arrival) {
    try (var store = RedisStore.connect(uri)) {
      var limiter = RateLimiter.with(store, OutageRules.all());
      for (var rule : OutageRules.NAMES) {
        var result = limiter.checkForResult(Request.of(Subject.of(OutageRules.subject(rule, 0))));
        assertThat(result.source()).as(rule).isEqualTo(Source.FALLBACK);
        assertThat(result.isAllowed()).as(rule).isEqualTo(isAllowedAtFirst(rule));
      }
      assertThat(store.isUnavailable()).isTrue();
      assertThat(store.lastProblem()).isPresent();

      arrival.run();
      for (var rule : OutageRules.NAMES) {
        var request = Request.of(Subject.of(OutageRules.subject(rule, 0)));
        Eventually.holds(
            "the store decides about " + rule,
            PATIENCE,
            () -> limiter.checkForResult(request).source() == Source.STORE);
      }
      assertThat(store.instances()).isEqualTo(1);
    }
    Eventually.holds("no thread is left", PATIENCE, () -> Threads.ours().isEmpty());
  }

  private static boolean isAllowedAtFirst(String rule) {
    return switch (rule) {
      case OutageRules.ALLOW, OutageRules.LOCAL, OutageRules.ALLOW_THEN_DENY -> true;
      default -> false;
    };
  }
}
