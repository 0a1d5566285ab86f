package io.headgate.server.trace;

import static io.headgate.server.trace.OtlpExporterServer.attributes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Rule;
import io.headgate.server.api.AccessControl;
import io.headgate.server.http.LogCapture;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the spans that a collector receives from a running service. */
class TracesTest {
  private static final Rule USERS =
      Rule.named("users")
          .match("key", "user:*")
          .limit(TokenBucket.of(Rate.of(1, Duration.ofDays(1))).withBurst(2))
          .build();
  private static final Rule LINE =
      Rule.named("line")
          .match("key", "line:*")
          .limit(LeakyBucket.of(Rate.of(1, Duration.ofDays(1))).withQueue(9))
          .build();
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String PARENT = "00f067aa0ba902b7";
  private static final String SAMPLED = "00-%s-%s-01".formatted(TRACE, PARENT);
  private static final String NOT_SAMPLED = "00-%s-%s-00".formatted(TRACE, PARENT);
  private static final String USER = "{\"key\":\"user:42\"}";

  private static final String METHOD =
      "envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  private final OtlpExporterServer collector = new OtlpExporterServer();

  @AfterEach
  void stop() {
    collector.close();
  }

  private TracedService service(double ratio, Store store) {
    var traces = TraceSettings.of(collector.address(), ratio);
    return new TracedService(Optional.of(traces), store, AccessControl.OPEN, USERS, LINE);
  }

  private TracedService service(double ratio) {
    return service(ratio, memory());
  }

  private static Store memory() {
    return MemoryStore.create(Ticker.system(), 1_000);
  }

  private static String hex(ByteString id) {
    return HexFormat.of().formatHex(id.toByteArray());
  }

  @Test
  void checkBelongsToTheTraceOfItsCaller() {
    try (var service = service(0)) {
      service.post("/v1/check", USER, "traceparent", SAMPLED, "tracestate", "vendor=abc");
    }
    var span = collector.await(1).getFirst();
    assertThat(hex(span.getTraceId())).isEqualTo(TRACE);
    assertThat(hex(span.getParentSpanId())).isEqualTo(PARENT);
    assertThat(span.getTraceState()).isEqualTo("vendor=abc");
    assertThat(span.getKind()).isEqualTo(SpanKind.SPAN_KIND_SERVER);
    assertThat(span.getName()).isEqualTo("POST /v1/check");
    assertThat(attributes(span))
        .containsOnly(
            entry("http.request.method", "POST"),
            entry("http.route", "/v1/check"),
            entry("http.response.status_code", "200"),
            entry("headgate.rule", "users"),
            entry("headgate.outcome", "allowed"),
            entry("headgate.source", "store"));
    assertThat(collector.resource()).containsEntry("service.name", "headgate");
    assertThat(collector.resource()).containsKey("service.instance.id");
  }

  private static Map.Entry<String, String> entry(String name, String value) {
    return Map.entry(name, value);
  }

  @Test
  void parentDecidesOrElseTheRatio() {
    try (var none = service(0)) {
      none.post("/v1/check", USER);
      none.post("/v1/check", USER, "traceparent", "not of this form");
    }
    try (var all = service(1)) {
      all.post("/v1/check", USER, "traceparent", NOT_SAMPLED);
      all.post("/v1/check/batch", "{\"checks\":[%s,%s,%s]}".formatted(USER, USER, USER));
      all.post("/v1/peek", USER); // decides nothing
    }
    // Both have stopped, which exports all spans.
    assertThat(collector.spans()).extracting(Span::getName).containsExactly("POST /v1/check/batch");
    var batch = collector.spans().getFirst();
    assertThat(batch.getParentSpanId().isEmpty()).isTrue();
    assertThat(attributes(batch)) // one had been charged before
        .containsEntry("headgate.checks", "3")
        .containsEntry("headgate.denied", "2");
  }

  @Test
  void unauthorizedRequestIsNotTraced() {
    var traces = TraceSettings.of(collector.address(), 1);
    var access =
        new AccessControl(Optional.of("a-token-of-the-admin"), Optional.of("a-token-to-check"));
    try (var service = new TracedService(Optional.of(traces), memory(), access, USERS)) {
      assertThat(service.post("/v1/check", USER, "traceparent", SAMPLED)).isEqualTo(401);
    }
    assertThat(collector.spans()).isEmpty();
  }

  @Test
  void tracingIsOffWithoutACollector() {
    var off = Tracing.of(Optional.empty(), "instance");
    assertThat(off.isOn()).isFalse();
    assertThat(off.request("POST", "/v1/check", new TraceParent(SAMPLED, ""))).isSameAs(Trace.NONE);
    assertThat(off.call("Some/Method", new TraceParent(SAMPLED, ""))).isSameAs(Trace.NONE);
  }

  @Test
  void redisCallIsAChildSpanAndTimeoutIsAnError() {
    try (var redis = RedisServer.start()) {
      var options = RedisOptions.builder(redis.uri()).deadline(Duration.ofSeconds(3)).build();
      try (var service = service(1, RedisStore.connect(options))) {
        // Each with its own key, since denials are cached and cause no Redis call.
        service.post("/v1/check", "{\"key\":\"user:1\"}");
        var asked = child(collector.await(2), "POST /v1/check");
        assertThat(asked.getKind()).isEqualTo(SpanKind.SPAN_KIND_CLIENT);
        assertThat(asked.getName()).isEqualTo("redis");
        assertThat(attributes(asked)).containsOnly(entry("db.system.name", "redis"));
        assertThat(asked.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_UNSET);

        service.post("/v1/check/batch", "{\"checks\":[{\"key\":\"user:2\"},{\"key\":\"user:2\"}]}");
        var batch = child(collector.await(4), "POST /v1/check/batch");
        assertThat(attributes(batch)).containsEntry("db.operation.batch.size", "2");

        call(service);
        var joint = child(collector.await(6), METHOD);
        assertThat(attributes(joint)).containsOnly(entry("db.system.name", "redis"));

        redis.pause();
        service.post("/v1/slots", "{\"key\":\"user:3\"}");
        var silent = child(collector.await(8), "POST /v1/slots");
        assertThat(silent.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_ERROR);
        assertThat(attributes(span("POST /v1/slots"))).containsEntry("headgate.source", "fallback");
      }
    }
  }

  private Span span(String name) {
    return collector.spans().stream()
        .filter(span -> span.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private Span child(List<Span> spans, String parent) {
    var above = span(parent);
    var found = spans.stream().filter(s -> s.getParentSpanId().equals(above.getSpanId())).toList();
    assertThat(found).hasSize(1);
    var child = found.getFirst();
    assertThat(child.getTraceId()).isEqualTo(above.getTraceId());
    assertThat(child.getStartTimeUnixNano()).isGreaterThanOrEqualTo(above.getStartTimeUnixNano());
    assertThat(child.getEndTimeUnixNano()).isLessThanOrEqualTo(above.getEndTimeUnixNano());
    return child;
  }

  /** Makes a gRPC call as Envoy does. */
  private static void call(TracedService service) {
    var channel =
        NettyChannelBuilder.forAddress("127.0.0.1", service.port()).usePlaintext().build();
    try {
      var metadata = new Metadata();
      metadata.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), SAMPLED);
      var asked = RateLimitRequest.newBuilder().setDomain("d");
      asked.addDescriptorsBuilder().addEntriesBuilder().setKey("key").setValue("user:42");
      var unused =
          RateLimitServiceGrpc.newBlockingStub(channel)
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
              .shouldRateLimit(asked.build());
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void grpcCallIsTraced() {
    try (var service = service(0)) {
      call(service);
      var span = collector.await(1).getFirst();
      assertThat(span.getName()).isEqualTo(METHOD);
      assertThat(hex(span.getParentSpanId())).isEqualTo(PARENT);
      assertThat(attributes(span))
          .containsOnly(
              entry("rpc.system.name", "grpc"),
              entry("rpc.method", METHOD),
              entry("rpc.response.status_code", "OK"),
              entry("headgate.rule", "users"),
              entry("headgate.outcome", "allowed"),
              entry("headgate.source", "store"));
    }
  }

  @Test
  void disconnectedClientIsRecorded() throws IOException {
    try (var service = service(1)) {
      String next = "{\"key\":\"line:1\",\"wait\":true}";
      service.post("/v1/check", next);
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
        var request =
            String.join(
                "\r\n",
                "POST /v1/check HTTP/1.1",
                "Host: h",
                "Content-Type: application/json",
                "traceparent: " + SAMPLED,
                "Content-Length: " + next.length(),
                "",
                next);
        socket.getOutputStream().write(request.getBytes(UTF_8));
      }
      var gone =
          collector.await(2).stream().filter(s -> hex(s.getTraceId()).equals(TRACE)).findFirst();
      assertThat(attributes(gone.orElseThrow()))
          .containsEntry("error.type", "client_gone")
          .doesNotContainKey("http.response.status_code");
    }
  }

  @Test
  void droppedSpansAreCountedAndLogged() {
    int all = 3 * OtlpExporter.MAX_QUEUED;
    var latch = new CountDownLatch(1);
    collector.holdUntil(latch);
    try (var log = new LogCapture("io.headgate.server.trace")) {
      var tracing = Tracing.of(Optional.of(TraceSettings.of(collector.address(), 1)), "instance");
      for (int i = 0; i < all; i++) {
        tracing.request("POST", "/v1/check", new TraceParent("", "")).httpResponded(200);
      }
      latch.countDown();
      Eventually.holds(
          "a log line reports it",
          Duration.ofSeconds(30),
          () -> log.text().contains("spans were dropped"));
      tracing.close(Duration.ofSeconds(30));
      var matcher = Pattern.compile("(\\d+) spans were dropped").matcher(log.text());
      assertThat(matcher.find()).isTrue();
      assertThat(collector.spans().size() + Integer.parseInt(matcher.group(1))).isEqualTo(all);
    }
  }

  @Test
  void rejectingCollectorIsLoggedOnceAndAffectsNoCheck() {
    collector.refuse();
    try (var log = new LogCapture("io.headgate.server.trace");
        var service = service(1)) {
      assertThat(service.post("/v1/check", USER)).isEqualTo(200);
      Eventually.holds(
          "a log line reports it",
          Duration.ofSeconds(30),
          () -> log.text().contains("cannot export traces to " + collector.address()));
      assertThat(service.post("/v1/check", USER)).isEqualTo(200);
      service.stop();
      assertThat(log.text().lines()).hasSize(1);
    }
    assertThat(collector.spans()).isEmpty();
  }
}
