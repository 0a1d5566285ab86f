package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that a stopping service loses no call in transit. */
class GracefulStopTest {
  private static final String PATH = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final byte[] CALL =
      EnvoyClient.request("any", descriptor("user", "ada")).toByteArray();
  private static final Rule USERS =
      Rule.named("users").match("user", "*").limit(FixedWindow.of(Rate.perDay(100))).build();

  private static int lastStream(RawHttp2.Frame goAway) {
    return goAway.payload().getInt(0);
  }

  private static void requireAnswered(RawHttp2 client, int stream) throws IOException {
    client.next(RawHttp2.HEADERS, stream);
    client.next(RawHttp2.DATA, stream);
    client.next(RawHttp2.HEADERS, stream);
  }

  private static List<RawHttp2.Frame> untilClosed(RawHttp2 client) throws IOException {
    var frames = new ArrayList<RawHttp2.Frame>();
    try {
      while (true) frames.add(client.next());
    } catch (EOFException closed) {
      return frames;
    }
  }

  @Test
  void callThatCrossesTheGoAwayIsAnswered() throws Exception {
    try (var service = GrpcService.withGrace(Duration.ofMinutes(5), USERS);
        var client = new RawHttp2(service.port())) {
      requireAnswered(client, client.call(PATH, CALL, false));
      var stopping = Thread.ofVirtual().start(service::stop);

      var first = client.next(RawHttp2.GO_AWAY, 0);
      assertThat(lastStream(first)).as("refuses no stream").isEqualTo(Integer.MAX_VALUE);
      int crossing = client.call(PATH, CALL, false);
      var ping = client.next(RawHttp2.PING, 0);
      assertThat(stopping.join(Duration.ofSeconds(1)))
          .as("ends before the acknowledgement")
          .isFalse();
      client.pong(ping);
      var rest = untilClosed(client);
      assertThat(
              rest.stream().filter(frame -> frame.stream() == crossing).map(RawHttp2.Frame::type))
          .as("the crossing call is answered")
          .containsExactly(RawHttp2.HEADERS, RawHttp2.DATA, RawHttp2.HEADERS);
      assertThat(rest.stream().filter(frame -> frame.type() == RawHttp2.GO_AWAY))
          .singleElement()
          .satisfies(second -> assertThat(lastStream(second)).isEqualTo(crossing));
      stopping.join();
    }
  }

  @Test
  void clientThatDoesNotAcknowledgeDoesNotDelayTheStop() throws Exception {
    try (var service = GrpcService.withGrace(Duration.ofMinutes(5), USERS);
        var client = new RawHttp2(service.port())) {
      requireAnswered(client, client.call(PATH, CALL, false));
      var stopping = Thread.ofVirtual().start(service::stop);
      assertThat(stopping.join(Duration.ofMinutes(1))).isTrue();
    }
  }
}
