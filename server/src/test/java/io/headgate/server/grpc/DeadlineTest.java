package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.grpc.StatusRuntimeException;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.FailurePolicy.Deny;
import io.headgate.rule.Rule;
import io.headgate.testkit.ConcurrentRunner;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests deadlines with a real Redis, including one that does not reply. */
class DeadlineTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Rule USERS =
      Rule.named("users")
          .match("user", "*")
          .onStoreFailure(new Deny())
          .limit(FixedWindow.of(Rate.perDay(40)))
          .build();
  private static final Rule PATHS =
      Rule.named("paths").match("path", "*").limit(FixedWindow.of(Rate.perDay(1_000))).build();

  private RedisServer redis;

  @BeforeEach
  void start() {
    redis = RedisServer.start();
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private GrpcService serve(Duration storeTimeout, Duration deadline) {
    var options = RedisOptions.builder(redis.uri()).deadline(storeTimeout).build();
    return GrpcService.over(RedisStore.connect(options), deadline, USERS, PATHS);
  }

  @Test
  void descriptorsAreChargedAtomically() throws Exception {
    try (var service = serve(PATIENCE, PATIENCE)) {
      var user = descriptor("user", "ada");
      var path = descriptor("path", "/");
      long admitted =
          ConcurrentRunner.PLATFORM.sum(member -> {
            long mine = 0;
            for (int i = 0; i < 20; i++) {
              var answer = service.envoy.ask("any", path, user, user);
              if (answer.getOverallCode() == Code.OK) mine++;
            }
            return mine;
          });
      assertThat(admitted).isEqualTo(20);
      assertThat(service.envoy.ask("any", path).getStatuses(0).getLimitRemaining())
          .isEqualTo(1_000 - 20 - 1);
    }
  }

  @Test
  void failurePolicyDecidesAtTheDeadline() {
    try (var service = serve(PATIENCE, Duration.ofMillis(100))) {
      Eventually.holds("Redis decides", PATIENCE, () -> answers(service));
      redis.pause();
      assertThat(service.envoy.ask("any", descriptor("user", "ada")).getOverallCode())
          .isEqualTo(Code.OVER_LIMIT);
      redis.resume();
      Eventually.holds("Redis decides again", PATIENCE, () -> answers(service));
    }
  }

  @Test
  void shorterDeadlineOfTheClientIsUsed() throws Exception {
    try (var service = serve(PATIENCE, PATIENCE);
        var client = new RawHttp2(service.port())) {
      Eventually.holds("Redis decides", PATIENCE, () -> answers(service));
      redis.pause();
      var call = EnvoyClient.request("any", descriptor("user", "ada")).toByteArray();
      int stream = client.call(RawHttp2.RATE_LIMIT, call, "200m");
      var reply = client.next(RawHttp2.DATA, stream).payload().position(RawHttp2.PREFIX);
      assertThat(RateLimitResponse.parseFrom(reply).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      redis.resume();
    }
  }

  @Test
  void failurePoliciesDecideWhileTheCircuitBreakerIsOpen() {
    try (var service = serve(Duration.ofMillis(50), Duration.ofSeconds(10))) {
      redis.pause();
      Eventually.holds(
          "the policy denies",
          PATIENCE,
          () ->
              service.envoy.ask("any", descriptor("user", "ada")).getOverallCode()
                  == Code.OVER_LIMIT);
      assertThat(service.envoy.ask("any", descriptor("path", "/")).getOverallCode())
          .isEqualTo(Code.OK);
      redis.resume();
    }
  }

  private static boolean answers(GrpcService service) {
    try {
      return service.envoy.ask("any", descriptor("path", "/")).getOverallCode() == Code.OK;
    } catch (StatusRuntimeException e) {
      return false;
    }
  }
}
