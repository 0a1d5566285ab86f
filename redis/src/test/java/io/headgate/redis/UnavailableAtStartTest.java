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

/** An instance starts while Redis is unavailable. */
class UnavailableAtStartTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @Test
  void policiesDecideUntilServerStarts() {
    try (var server = RedisServer.start()) {
      server.kill();
      decidesOnceStarted(new RedisDeployment(Topology.STANDALONE, server.uri(), List.of(server)));
    }
  }

  /** A paused server accepts connections and never replies. */
  @Test
  void policiesDecideUntilPausedServerResumes() {
    try (var server = RedisServer.start()) {
      server.pause();
      decidesOnceStarted(server.uri(), server::resume);
    }
  }

  @Test
  void policiesDecideUntilClusterStarts() {
    try (var cluster = RedisCluster.start(1, 0)) {
      var node = cluster.nodes().getFirst();
      node.kill();
      decidesOnceStarted(new RedisDeployment(Topology.CLUSTER, cluster.uri(), List.of(node)));
    }
  }

  private static void decidesOnceStarted(RedisDeployment deployment) {
    decidesOnceStarted(deployment.uri(), () -> deployment.servers().forEach(RedisServer::restart));
  }

  private static void decidesOnceStarted(String uri, Runnable startServer) {
    try (var store = RedisStore.connect(uri)) {
      var limiter = RateLimiter.with(store, OutageRules.all());
      for (var rule : OutageRules.NAMES) {
        var result = limiter.checkForResult(Subject.of(OutageRules.subject(rule, 0)));
        assertThat(result.source()).as(rule).isEqualTo(Source.FALLBACK);
        assertThat(result.isAllowed()).as(rule).isEqualTo(isAllowedAtFirst(rule));
      }
      assertThat(store.isUnavailable()).isTrue();
      assertThat(store.lastProblem()).isPresent();

      startServer.run();
      for (var rule : OutageRules.NAMES) {
        var request = Request.of(Subject.of(OutageRules.subject(rule, 0)));
        Eventually.holds(
            "the store decides about " + rule,
            TIMEOUT,
            () -> limiter.checkForResult(request).source() == Source.STORE);
      }
      assertThat(store.instances()).isEqualTo(1);
    }
    Eventually.holds("no thread is left", TIMEOUT, () -> Threads.ours().isEmpty());
  }

  private static boolean isAllowedAtFirst(String rule) {
    return switch (rule) {
      case OutageRules.ALLOW, OutageRules.LOCAL, OutageRules.ALLOW_THEN_DENY -> true;
      default -> false;
    };
  }
}
