package io.headgate.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaServiceGrpc;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy.BlanketRule;
import io.headgate.redis.HomeService;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RegionHome;
import io.headgate.redis.RegionOptions;
import io.headgate.redis.RegionalStore;
import io.headgate.rule.Subject;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Assigns quotas in two regions with a Redis each; the home of the second is the first's service.
 */
class RegionQuotaTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Map<String, String> BUCKET = Map.of("tenant", "a");
  private static final Subject SUBJECT =
      Subject.of(Map.of("domain", "shop", "descriptor", "tenant", "tenant", "a"));

  private RedisServer first;
  private RedisServer second;

  @BeforeEach
  void start() {
    first = RedisServer.start();
    second = RedisServer.start();
    first.call("SET", "headgate:home:ready", "new");
  }

  @AfterEach
  void stop() {
    first.close();
    second.close();
  }

  private static GrpcService region(
      String name, RedisServer regional, RegionHome home, Duration lease) {
    var store =
        RegionalStore.connect(
            new RegionOptions(
                name,
                RedisOptions.builder(regional.uri()).deadline(DEADLINE).build(),
                home,
                lease));
    Eventually.holds("home is ready", PATIENCE, store::isHomeReady);
    return GrpcService.assigning(store, QuotaServiceTest.SETTINGS, QuotaServiceTest.PER_TENANT);
  }

  private RegionHome home() {
    return RedisOptions.builder(first.uri()).deadline(DEADLINE).build();
  }

  @Test
  void envoysOfTwoRegionsTogetherAdmitAtMostTheLimit() {
    var lease = Duration.ofSeconds(30);
    try (var eu = region("eu", first, home(), lease);
        var us =
            region(
                "us",
                second,
                HomeService.of("http://127.0.0.1:" + eu.port(), Optional.empty(), DEADLINE),
                lease);
        var one = new SimulatedEnvoy(eu.port(), BUCKET);
        var two = new SimulatedEnvoy(us.port(), BUCKET);
        var three = new SimulatedEnvoy(us.port(), BUCKET)) {
      // An Envoy of each region admits before any of them can take the rest: a first assignment has
      // at most half of the limit.
      for (var envoy : List.of(one, two)) {
        Eventually.holds("a region's first permit", PATIENCE, envoy::request);
      }
      var envoys = List.of(one, two, three);
      QuotaServiceTest.runUntilExhausted(envoys, QuotaServiceTest.LIMIT);
      long checked = 0;
      for (int i = 0; i < QuotaServiceTest.LIMIT; i++) {
        for (var region : List.of(eu, us)) {
          if (region.limiter.check(SUBJECT).isAllowed()) checked++;
        }
      }
      assertThat(checked + QuotaServiceTest.admitted(envoys))
          .isLessThanOrEqualTo(QuotaServiceTest.LIMIT);
    }
  }

  @Test
  void assignmentThatOutlastsTheLeaseOfRegionsIsDenied() throws InterruptedException {
    try (var eu = region("eu", first, home(), Duration.ofSeconds(11))) {
      var call = OpenCall.open(eu, RateLimitQuotaServiceGrpc.getStreamRateLimitQuotasMethod());
      call.send(QuotaServiceTest.report("shop", BUCKET));
      var actions = Objects.requireNonNull(call.answer(), "no response").getBucketActionList();
      assertThat(actions).hasSize(1);
      assertThat(
              actions.getFirst().getQuotaAssignmentAction().getRateLimitStrategy().getBlanketRule())
          .isEqualTo(BlanketRule.DENY_ALL);
      call.end();
    }
  }
}
