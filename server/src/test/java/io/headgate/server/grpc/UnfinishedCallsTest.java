package io.headgate.server.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Rule;
import io.headgate.server.api.AccessControl;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.testkit.redis.RedisServer;
import java.io.EOFException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests HTTP/2 streams that clients do not end properly. */
class UnfinishedCallsTest {
  private static final String SHOULD_RATE_LIMIT =
      "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final Duration SHORT = Duration.ofMillis(400);
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Rule USERS =
      Rule.named("users").match("user", "*").limit(FixedWindow.of(Rate.perDay(10))).build();

  private static ConnectionLimits limits(Duration idle, Duration body) {
    return new ConnectionLimits(100, 100, idle, LONG, body);
  }

  @Test
  void incompleteMessageTimesOut() throws Exception {
    try (var service = GrpcService.limiting(AccessControl.OPEN, limits(LONG, SHORT), USERS);
        var client = new RawHttp2(service.port())) {
      int silent = client.post(SHOULD_RATE_LIMIT, "application/grpc");
      assertThat(client.next(RawHttp2.RESET, silent).number()).as("CANCEL").isEqualTo(8);
      int half = client.post(SHOULD_RATE_LIMIT, "application/grpc");
      client.data(half, new byte[] {0, 0, 0, 0, 9, 1, 2}, false);
      assertThat(client.next(RawHttp2.RESET, half).number()).as("CANCEL").isEqualTo(8);
    }
  }

  @Test
  void rejectedStreamIsNotReadFurther() throws Exception {
    var access = new AccessControl(Optional.of("for-admins"), Optional.of("for-checks"));
    try (var service = GrpcService.limiting(access, limits(LONG, LONG), USERS);
        var client = new RawHttp2(service.port())) {
      int stream = client.post(SHOULD_RATE_LIMIT, "application/grpc");
      client.next(RawHttp2.HEADERS, stream);
      assertThat(client.next(RawHttp2.RESET, stream).number()).as("NO_ERROR").isZero();
    }
  }

  /** The connection would otherwise count as busy for ever. */
  @Test
  void checkResetDuringAStoreCallEnds() throws Exception {
    try (var redis = RedisServer.start()) {
      var options = RedisOptions.builder(redis.uri()).deadline(Duration.ofSeconds(30)).build();
      try (var service = GrpcService.over(RedisStore.connect(options), limits(SHORT, LONG), USERS);
          var client = new RawHttp2(service.port())) {
        redis.pause();
        int stream = client.post("/v1/check", "application/json");
        client.data(stream, "{\"subject\":{\"user\":\"ada\"}}".getBytes(UTF_8), true);
        client.ping();
        while (!client.next().isPong()) {}
        client.reset(stream);
        client.ping();
        while (!client.next().isPong()) {}
        redis.resume();
        assertThatThrownBy(() -> client.next(RawHttp2.HEADERS, stream))
            .as("the connection is closed as idle")
            .isInstanceOfAny(EOFException.class, SocketException.class);
      }
    }
  }
}
