package io.headgate.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests reservations over gRPC with a Redis that does not reply in time. */
class ReservationDeadlineTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Test
  void reservationWhoseClientHasGoneIsCancelled() {
    var rule =
        Rule.named("tpd")
            .match("team", "*")
            .limits(
                List.of(
                    RuleLimit.of("tokens", FixedWindow.of(Rate.perDay(1_000))).withCost("tokens")))
            .build();
    try (var redis = RedisServer.start()) {
      var options = RedisOptions.builder(redis.uri()).deadline(PATIENCE).build();
      try (var service = GrpcService.over(RedisStore.connect(options), PATIENCE, rule)) {
        var client = ReservationClient.of(service);
        String id = client.reserve("a", 100).getId();
        redis.pause();
        var hurried = client.within(Duration.ofMillis(300));
        for (var failure :
            List.of(
                failure(() -> hurried.reserve("a", 600)), failure(() -> hurried.settle(id, 40)))) {
          assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        }
        redis.resume();
        // On a busy machine the client may have given up before it sent the settlement.
        Eventually.holds("the 600 return", PATIENCE, () -> remaining(service) >= 900);
        assertThat(client.settle(id, 40).getReturned().getNamedOrThrow("tokens"))
            .as("a repeated settlement is charged once")
            .isEqualTo(60);
        assertThat(remaining(service)).isEqualTo(960);
      }
    }
  }

  private static long remaining(GrpcService service) {
    return service.limiter.peek(Subject.of(Map.of("team", "a"))).limits().getFirst().remaining();
  }

  private static StatusRuntimeException failure(Runnable call) {
    return catchThrowableOfType(StatusRuntimeException.class, call::run);
  }
}
