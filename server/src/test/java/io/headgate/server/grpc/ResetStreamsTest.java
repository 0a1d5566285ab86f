package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.server.http.LogCapture;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that resets a call, as Envoy does at its timeout, loses that call and no other. */
class ResetStreamsTest {
  private static final String PATH = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final byte[] CALL =
      EnvoyClient.request("any", descriptor("user", "ada")).toByteArray();

  /** Of HTTP/2: HEADERS with END_STREAM, which are the trailers of a call. */
  private static final int END_STREAM = 1;

  private GrpcService service;

  @BeforeEach
  void start() {
    service =
        GrpcService.with(
            Rule.named("users")
                .match("user", "*")
                .limit(FixedWindow.of(Rate.perDay(1_000_000)))
                .build());
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private static void requireAnswered(RawHttp2 client, int stream) throws IOException {
    while (true) {
      var frame = client.next();
      assertThat(frame.type()).as("the connection stays").isNotEqualTo(RawHttp2.GO_AWAY);
      boolean trailers = frame.type() == RawHttp2.HEADERS && (frame.flags() & END_STREAM) != 0;
      if (frame.stream() == stream && trailers) return;
    }
  }

  @Test
  void resetThatComesWithItsCallCostsThatCallOnly() throws IOException {
    try (var log = new LogCapture("ROOT");
        var client = new RawHttp2(service.port())) {
      for (int i = 0; i < 300; i++) client.call(PATH, CALL, true);
      requireAnswered(client, client.call(PATH, CALL, false));
      assertThat(log.text()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void resetThatComesShortlyAfterItsCallCostsThatCallOnly(boolean window) throws IOException {
    try (var log = new LogCapture("ROOT");
        var client =
            window ? new RawHttp2(service.port()) : RawHttp2.withoutWindow(service.port())) {
      for (int i = 0; i < 300; i++) {
        int stream = client.call(PATH, CALL, false);
        if (i % 10 == 0) {
          client.ping(); // its answer shows that the call has been read
          while (!client.next().isPong()) {}
        }
        client.reset(stream);
      }
      int last = client.call(PATH, CALL, false);
      client.window(last, 10_000);
      requireAnswered(client, last);
      assertThat(log.text()).isEmpty();
    }
  }

  @Test
  void otherCallsOfTheConnectionAreAnswered() throws IOException {
    try (var client = new RawHttp2(service.port())) {
      int[] kept = new int[50];
      for (int i = 0; i < kept.length; i++) {
        client.call(PATH, CALL, true);
        kept[i] = client.call(PATH, CALL, false);
      }
      for (int stream : kept) requireAnswered(client, stream);
    }
  }
}
