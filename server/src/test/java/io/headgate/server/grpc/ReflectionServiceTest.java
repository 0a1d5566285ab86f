package io.headgate.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the limits of reflection streams. */
class ReflectionServiceTest {
  private static final String METHOD = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  private static final int FIRST_WINDOW = 65_535;

  private GrpcService service;

  @BeforeEach
  void start() {
    service = GrpcService.with();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void streamHasAMaximumNumberOfRequests() throws Exception {
    var call = OpenCall.open(service, ServerReflectionGrpc.getServerReflectionInfoMethod());
    var list = ServerReflectionRequest.newBuilder().setListServices("").build();
    for (int i = 0; i < ReflectionService.MAX_REQUESTS + 1; i++) call.send(list);
    var status = call.status();
    assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(status.getDescription()).contains("at most 100 requests");
    assertThat(call.answersLeft()).isEqualTo(100);
  }

  /** Each response repeats its request, so pending responses are as large as the requests. */
  @Test
  void clientThatReadsNoResponsesIsNotReadFrom() throws IOException {
    var request =
        RawHttp2.framed(
            ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol("x".repeat(16_000))
                .build()
                .toByteArray());
    int max = ReflectionService.MAX_REQUESTS - 1;
    try (var client = RawHttp2.withoutWindow(service.port())) {
      int stream = client.post(METHOD, "application/grpc");
      int window = FIRST_WINDOW;
      int all = FIRST_WINDOW;
      int sent = 0;
      for (int pings = 0; sent < max && pings < 5; pings++) {
        if (window >= request.length && all >= request.length) {
          client.data(stream, request, false);
          sent++;
          window -= request.length;
          all -= request.length;
          pings = 0;
        }
        client.ping();
        for (var frame = client.next(); !frame.isPong(); frame = client.next()) {
          if (frame.type() != RawHttp2.WINDOW) continue;
          if (frame.stream() == stream) window += frame.number();
          else all += frame.number();
        }
      }
      assertThat(sent).isBetween(4, max / 2);
      client.window(0, 10_000_000);
      client.window(stream, 10_000_000);
      client.data(stream, new byte[0], true);
      long taken = 0;
      for (var frame = client.next(); frame.type() != RawHttp2.HEADERS || taken == 0; ) {
        if (frame.type() == RawHttp2.DATA) taken += frame.payload().remaining();
        frame = client.next();
      }
      assertThat(taken).as("all answers").isGreaterThan((long) sent * request.length);
    }
  }
}
