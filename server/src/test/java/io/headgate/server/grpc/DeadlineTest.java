package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.grpc.Status;
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
import java.util.concurrent.TimeUnit;
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
  void slowStoreIsAnsweredUnavailableAtTheDeadline() {
    try (var service = serve(PATIENCE, Duration.ofMillis(100))) {
      Eventually.holds("Redis decides", PATIENCE, () -> answers(service));
      redis.pause();
      var failure = failure(service);
      assertThat(failure.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(failure.getDescription()).contains("grpc-deadline");
      redis.resume();
      Eventually.holds("Redis decides again", PATIENCE, () -> answers(service));
    }
  }

  @Test
  void shorterDeadlineOfTheClientIsUsed() {
    try (var service = serve(PATIENCE, PATIENCE)) {
      Eventually.holds("Redis decides", PATIENCE, () -> answers(service));
      redis.pause();
      var hurried = service.envoy.stub().withDeadlineAfter(200, TimeUnit.MILLISECONDS);
      var call = EnvoyClient.request("any", descriptor("user", "ada"));
      var failure =
          catchThrowableOfType(StatusRuntimeException.class, () -> hurried.shouldRateLimit(call));
      assertThat(failure.getStatus().getCode())
          .isIn(Status.Code.UNAVAILABLE, Status.Code.DEADLINE_EXCEEDED);
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

  private static Status failure(GrpcService service) {
    return catchThrowableOfType(
            StatusRuntimeException.class, () -> service.envoy.ask("any", descriptor("user", "ada")))
        .getStatus();
  }
}
