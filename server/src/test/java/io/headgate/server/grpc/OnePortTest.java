package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.server.api.AccessControl;
import io.headgate.testkit.ConcurrentRunner;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that HTTP/1.1, HTTP/2 and gRPC share one port without affecting each other. */
class OnePortTest {
  private static final String SHOULD_RATE_LIMIT =
      "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final Rule USERS =
      Rule.named("users").match("user", "*").limit(FixedWindow.of(Rate.perDay(120))).build();

  private static Vertx vertx;
  private static HttpClientAgent http1;
  private static HttpClientAgent http2;
  private GrpcService service;

  @BeforeAll
  static void openClients() {
    vertx = Vertx.vertx();
    http1 = vertx.createHttpClient();
    http2 =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false));
  }

  @AfterAll
  static void closeClients() throws Exception {
    await(vertx.close());
  }

  @BeforeEach
  void start() {
    service = GrpcService.with(USERS);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  private RequestOptions to(HttpMethod method, String path) {
    return new RequestOptions()
        .setMethod(method)
        .setHost("127.0.0.1")
        .setPort(service.port())
        .setURI(path);
  }

  /** Returns the status of a check over HTTP. */
  private int check(HttpClientAgent client) throws Exception {
    return await(
        client
            .request(to(HttpMethod.POST, "/v1/check"))
            .compose(request ->
                request
                    .putHeader("content-type", "application/json")
                    .send("{\"subject\":{\"user\":\"ada\"}}")
                    // On the event loop: this thread may be suspended while the body arrives.
                    .compose(response -> response.body().map(body -> response.statusCode()))));
  }

  @Test
  void allProtocolsShareOneLimit() throws Exception {
    var user = descriptor("user", "ada");
    long admitted =
        ConcurrentRunner.PLATFORM.sum(member -> {
          long mine = 0;
          for (int i = 0; i < 60; i++) {
            boolean allowed =
                switch (member % 3) {
                  case 0 -> check(http1) == 200;
                  case 1 -> check(http2) == 200;
                  default -> service.envoy.ask("any", user).getOverallCode() == Code.OK;
                };
            if (allowed) mine++;
          }
          return mine;
        });
    assertThat(admitted).isEqualTo(120);
  }

  @Test
  void oneHttp2ConnectionCarriesHttpAndGrpc() throws Exception {
    var connection =
        await(http2.connect(new HttpConnectOptions().setHost("127.0.0.1").setPort(service.port())));
    var ready =
        await(connection.request(to(HttpMethod.GET, "/health/ready")).compose(r -> r.send()));
    assertThat(ready.statusCode()).isEqualTo(200);
    var status =
        await(
            connection
                .request(to(HttpMethod.POST, SHOULD_RATE_LIMIT))
                .compose(r -> call(r, framed(new byte[0]))));
    assertThat(status).isEqualTo("" + Status.Code.INVALID_ARGUMENT.value());
    await(connection.close());
  }

  private static Buffer framed(byte[] message) {
    return Buffer.buffer().appendByte((byte) 0).appendInt(message.length).appendBytes(message);
  }

  private static Future<String> call(HttpClientRequest request, Buffer bytes) {
    return request
        .putHeader("content-type", "application/grpc")
        .send(bytes)
        .compose(OnePortTest::statusOf);
  }

  /** Called on the event loop, since the end of the response may follow its head at once. */
  private static Future<String> statusOf(HttpClientResponse response) {
    String head = response.getHeader("grpc-status");
    return head != null
        ? Future.succeededFuture(head)
        : response.end().map(end -> response.getTrailer("grpc-status"));
  }

  private String send(Buffer bytes) throws Exception {
    return await(
        http2.request(to(HttpMethod.POST, SHOULD_RATE_LIMIT)).compose(r -> call(r, bytes)));
  }

  @Test
  void invalidMessageIsRejectedAndTheNextCallServed() throws Exception {
    assertThat(send(framed(new byte[] {-1, -1, -1, -1, -1, -1})))
        .isEqualTo("" + Status.Code.INVALID_ARGUMENT.value());
    assertThat(service.envoy.ask("any", descriptor("user", "ada")).getOverallCode())
        .isEqualTo(Code.OK);
  }

  @Test
  void compressedMessageIsRejected() {
    var call = EnvoyClient.request("any", descriptor("user", "ada"));
    var failure =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () -> service.envoy.stub().withCompression("gzip").shouldRateLimit(call));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
    assertThat(failure.getStatus().getDescription()).contains("gzip");
  }

  @Test
  void messageThatIsTooLongIsDenied() {
    var huge = descriptor("user", "x".repeat(GrpcApi.MAX_MESSAGE_BYTES));
    assertThat(service.envoy.ask("any", huge).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(service.envoy.ask("any", descriptor("user", "ada")).getOverallCode())
        .isEqualTo(Code.OK);
  }

  @Test
  void unknownMethodIsUnimplemented() throws Exception {
    var status =
        await(
            http2
                .request(to(HttpMethod.POST, "/envoy.service.ratelimit.v3.RateLimitService/Other"))
                .compose(r -> call(r, framed(new byte[0]))));
    assertThat(status).isEqualTo("" + Status.Code.UNIMPLEMENTED.value());
  }

  @Test
  void grpcOverHttp1IsAnsweredAsHttp() throws Exception {
    var response =
        await(
            http1
                .request(to(HttpMethod.POST, SHOULD_RATE_LIMIT))
                .compose(r -> r.putHeader("content-type", "application/grpc").send("x")));
    assertThat(response.statusCode()).isEqualTo(404);
  }

  @Test
  void tooLongBodyEndsOnlyItsStream() throws Exception {
    var response =
        await(
            http2
                .request(to(HttpMethod.POST, "/v1/check"))
                .compose(r ->
                    r.putHeader("content-type", "application/json").send("x".repeat(100_000))));
    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(check(http2)).isEqualTo(200);
  }

  @Test
  void rapidResetsCloseTheConnection() throws Exception {
    try (var client = new RawHttp2(service.port())) {
      assertThat(client.isAnsweredAfter(100)).isTrue();
      assertThat(client.isCutOffBy(20_000)).isTrue();
    }
    assertThat(check(http2)).isEqualTo(200);
  }

  @Test
  void manyStreamsOfOneConnectionAreAllAnswered() throws Exception {
    long answered =
        ConcurrentRunner.VIRTUAL.sum(member -> {
          long mine = 0;
          for (int i = 0; i < 20; i++) {
            var code = service.envoy.ask("any", descriptor("user", "m" + member)).getOverallCode();
            if (code == Code.OK) mine++;
          }
          return mine;
        });
    assertThat(answered).isEqualTo(20L * ConcurrentRunner.VIRTUAL.size());
  }

  @Test
  void tokenIsRequiredAsInHttp() {
    var access = new AccessControl(Optional.of("for-admins"), Optional.of("for-checks"));
    var call = EnvoyClient.request("any", descriptor("user", "ada"));
    try (var guarded = GrpcService.with(access, USERS)) {
      var none =
          catchThrowableOfType(
              StatusRuntimeException.class, () -> guarded.envoy.stub().shouldRateLimit(call));
      assertThat(none.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(none.getStatus().getDescription()).contains("Authorization: Bearer");
      var wrong =
          catchThrowableOfType(
              StatusRuntimeException.class,
              () -> guarded.envoy.stub("Bearer wrong").shouldRateLimit(call));
      assertThat(wrong.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(guarded.envoy.stub("Bearer for-checks").shouldRateLimit(call).getOverallCode())
          .isEqualTo(Code.OK);
      assertThat(guarded.envoy.stub("Bearer for-admins").shouldRateLimit(call).getOverallCode())
          .isEqualTo(Code.OK);
    }
  }
}
