package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that unary calls must have exactly one message. */
class OneMessageTest {
  private static final Rule USERS =
      Rule.named("users").match("user", "*").limit(FixedWindow.of(Rate.perDay(10))).build();

  private GrpcService service;

  @BeforeEach
  void start() {
    service = GrpcService.with(USERS);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private static void requireInvalid(OpenCall<?, ?> call, String got) throws Exception {
    var status = call.status();
    assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(status.getDescription()).contains("must have one message, got " + got);
    assertThat(call.answersLeft()).isZero();
  }

  @Test
  void checkWithTwoMessagesIsRejectedAndChargesNothing() throws Exception {
    var user = descriptor("user", "ada");
    var message = EnvoyClient.request("any", user);
    var call = OpenCall.open(service, RateLimitServiceGrpc.getShouldRateLimitMethod());
    call.send(message).send(message).send(message).end();
    requireInvalid(call, "more than one");
    assertThat(service.envoy.ask("any", user).getStatuses(0).getLimitRemaining()).isEqualTo(9);
  }

  @Test
  void checkWithoutAMessageIsRejected() throws Exception {
    var call = OpenCall.open(service, RateLimitServiceGrpc.getShouldRateLimitMethod());
    requireInvalid(call.end(), "none");
  }

  @Test
  void healthCheckWithTwoMessagesIsRejected() throws Exception {
    var all = HealthCheckRequest.getDefaultInstance();
    var check = OpenCall.open(service, HealthGrpc.getCheckMethod());
    requireInvalid(check.send(all).send(all).end(), "more than one");
    requireInvalid(OpenCall.open(service, HealthGrpc.getCheckMethod()).end(), "none");
  }

  @Test
  void watchWithTwoMessagesIsRejected() throws Exception {
    var all = HealthCheckRequest.getDefaultInstance();
    var watch = OpenCall.open(service, HealthGrpc.getWatchMethod());
    requireInvalid(watch.send(all).send(all), "more than one");
    requireInvalid(OpenCall.open(service, HealthGrpc.getWatchMethod()).end(), "none");
  }
}
