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

/** Tests that a reset of one call, as Envoy sends at its timeout, affects no other call. */
class ResetStreamsTest {
  private static final String PATH = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final byte[] CALL =
      EnvoyClient.request("any", descriptor("user", "ada")).toByteArray();

  /** The flag END_STREAM; HEADERS with it are the trailers of a call. */
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
  void resetWithTheCallAffectsThatCallOnly() throws IOException {
    try (var log = new LogCapture("ROOT");
        var client = new RawHttp2(service.port())) {
      for (int i = 0; i < 300; i++) client.call(PATH, CALL, true);
      requireAnswered(client, client.call(PATH, CALL, false));
      assertThat(log.text()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void resetAfterTheCallAffectsThatCallOnly(boolean window) throws IOException {
    try (var log = new LogCapture("ROOT");
        var client =
            window ? new RawHttp2(service.port()) : RawHttp2.withoutWindow(service.port())) {
      for (int i = 0; i < 300; i++) {
        int stream = client.call(PATH, CALL, false);
        if (i % 10 == 0) {
          client.ping(); // its acknowledgement shows that the call has been read
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
  void thousandsOfResetsAffectNoOtherCallOfAClientThatReads() throws IOException {
    try (var client = new RawHttp2(service.port())) {
      for (int i = 0; i < 50; i++) {
        for (int call = 0; call < 200; call++) client.call(PATH, CALL, true);
        requireAnswered(client, client.call(PATH, CALL, false));
      }
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
