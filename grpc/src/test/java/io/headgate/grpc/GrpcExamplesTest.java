package io.headgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.health.v1.HealthGrpc;
import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Runs the examples of the Javadoc. */
class GrpcExamplesTest {
  private static final RateLimiter LIMITER =
      RateLimiter.inMemory(
          Rule.named("per-user").match("user", "*").limit(TokenBucket.of(Rate.perHour(9))).build());

  @Test
  void server() {
    var limiter = LIMITER;
    // @start region="server"
    var user = Metadata.Key.of("user", Metadata.ASCII_STRING_MARSHALLER);
    var interceptor =
        LimitingServerInterceptor.of(
            CallLimiter.of(limiter), // or of(HeadgateClient.connect("https://…"))
            (method, headers, attributes) ->
                Optional.ofNullable(headers.get(user))
                    .map(name -> Request.of(Subject.of("user", name))));
    // @end
    try (var server = new HealthServer(interceptor)) {
      server.client().check(HealthServer.REQUEST);
      assertThat(server.calls).hasValue(1);
    }
  }

  @Test
  void client() {
    var limiter = LIMITER;
    try (var server = new HealthServer()) {
      var channel = server.channel();
      // @start region="client"
      var stub =
          HealthGrpc.newBlockingStub(channel)
              .withInterceptors(LimitingClientInterceptor.of(CallLimiter.of(limiter)));
      // @end
      stub.check(HealthServer.REQUEST);
      assertThat(server.calls).hasValue(1);
    }
  }
}
