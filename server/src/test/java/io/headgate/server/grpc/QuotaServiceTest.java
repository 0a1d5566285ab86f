package io.headgate.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.Durations;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaServiceGrpc;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy.BlanketRule;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.headgate.Decision;
import io.headgate.limit.Deny;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.server.api.AccessControl;
import io.headgate.server.cli.Main;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.quota.QuotaSettings;
import io.headgate.store.MemoryStore;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Calls the quota service with Envoy's own classes over a real channel. */
@TestInstance(Lifecycle.PER_CLASS)
class QuotaServiceTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  static final long LIMIT = 600;

  /** A round trip that a busy machine does not exceed. */
  static final QuotaSettings SETTINGS =
      new QuotaSettings(
          Duration.ofSeconds(8), Duration.ofSeconds(3), Duration.ofSeconds(60), 1_000, 1_000, 100);

  /** For tests that wait for the end of an assignment and do not compare with the limit. */
  private static final QuotaSettings SHORT =
      new QuotaSettings(
          Duration.ofSeconds(1), Duration.ofMillis(200), Duration.ofSeconds(2), 2, 1_000, 100);

  static final Rule PER_TENANT =
      Rule.named("per-tenant")
          .match("domain", "shop")
          .match("descriptor", "tenant")
          .match("tenant", "*")
          .per("tenant")
          .limit(FixedWindow.of(Rate.of(LIMIT, Duration.ofDays(1))))
          .build();
  private static final Rule REFILLED =
      Rule.named("refilled")
          .match("refilled", "*")
          .limit(TokenBucket.of(Rate.of(40, Duration.ofSeconds(1))))
          .build();
  private static final Rule DENIED =
      Rule.named("denied").match("tenant", "blocked").limit(new Deny()).build();
  private static final Rule EXEMPT =
      Rule.named("exempt").match("tenant", "partner").exempt().build();
  private static final Rule ROLLING =
      Rule.named("rolling")
          .match("logged", "*")
          .limit(RollingWindow.of(Rate.of(5, Duration.ofMinutes(1))))
          .build();
  private static final Rule[] RULES = {PER_TENANT, REFILLED, DENIED, EXEMPT, ROLLING};

  private static final Pattern STATUS =
      Pattern.compile(
          "quotas +[\\d,]+ streams?, [\\d,]+ buckets?, [\\d,]+ permits? assigned\\R(?s:.*)"
              + " per-tenant: [1-9][\\d,]* assigned; reported [\\d,]+ allowed, [1-9][\\d,]* denied");

  private GrpcService service;

  @BeforeAll
  void start() {
    service = GrpcService.assigning(MemoryStore.create(), SETTINGS, RULES);
  }

  @AfterAll
  void stop() {
    service.close();
  }

  static RateLimitQuotaUsageReports report(String domain, Map<String, String> entries) {
    var reports = RateLimitQuotaUsageReports.newBuilder().setDomain(domain);
    reports
        .addBucketQuotaUsagesBuilder()
        .setTimeElapsed(Durations.fromMillis(1))
        .setNumRequestsDenied(1)
        .getBucketIdBuilder()
        .putAllBucket(entries);
    return reports.build();
  }

  private RateLimitQuotaResponse first(Map<String, String> entries) throws InterruptedException {
    var call = OpenCall.open(service, RateLimitQuotaServiceGrpc.getStreamRateLimitQuotasMethod());
    call.send(report("shop", entries));
    var response = Objects.requireNonNull(call.answer(), "no response");
    call.end();
    return response;
  }

  private BlanketRule blanket(Map<String, String> entries) throws InterruptedException {
    var actions = first(entries).getBucketActionList();
    assertThat(actions).hasSize(1);
    var strategy = actions.getFirst().getQuotaAssignmentAction().getRateLimitStrategy();
    assertThat(strategy.hasBlanketRule()).isTrue();
    return strategy.getBlanketRule();
  }

  @Test
  void firstReportGetsATokenBucketThatBeginsFull() throws InterruptedException {
    var actions = first(Map.of("tenant", "first")).getBucketActionList();
    assertThat(actions).hasSize(2);
    assertThat(actions)
        .allSatisfy(action -> {
          assertThat(action.getBucketId().getBucketMap()).isEqualTo(Map.of("tenant", "first"));
          assertThat(action.getQuotaAssignmentAction().getAssignmentTimeToLive().getSeconds())
              .isEqualTo(8);
        });
    var reset = actions.get(0).getQuotaAssignmentAction().getRateLimitStrategy();
    assertThat(reset.getBlanketRule()).isEqualTo(BlanketRule.DENY_ALL);
    var bucket = actions.get(1).getQuotaAssignmentAction().getRateLimitStrategy().getTokenBucket();
    assertThat(bucket.getMaxTokens()).isEqualTo((int) LIMIT / 2);
    assertThat(bucket.getTokensPerFill().getValue()).isEqualTo(1);
    // Envoy ignores the nanoseconds, and the seconds when it compares two buckets.
    assertThat(bucket.getFillInterval()).isEqualTo(Durations.fromDays(365));
  }

  @Test
  void reportedRequestsAppearInStatisticsAndMetricsOfTheRule() throws Exception {
    first(Map.of("tenant", "seen"));
    Eventually.holds(
        "statistics of the rule",
        Duration.ofSeconds(20),
        () ->
            get("/v1/stats").matches("(?s).*\"quotas\":\\{.*\"rule\":\"per-tenant\".*")
                && get("/metrics")
                    .contains(
                        "headgate_quota_rule_requests_total{outcome=\"denied\",rule=\"per-tenant\"}"));
  }

  @Test
  void statusCommandShowsTheQuotasAndTheRequestsOfEachRule() throws InterruptedException {
    first(Map.of("tenant", "status"));
    Eventually.holds(
        "status shows the rule",
        Duration.ofSeconds(20),
        () -> {
          var out = new StringWriter();
          var context =
              new CommandContext(
                  Map.of(), Path.of(""), new PrintWriter(out), new PrintWriter(out), false);
          int code = Main.run(context, "status", "--url", "http://127.0.0.1:" + service.port());
          assertThat(code).as(out.toString()).isZero();
          return STATUS.matcher(out.toString()).find();
        });
  }

  private String get(String path) throws IOException, InterruptedException {
    var uri = URI.create("http://127.0.0.1:%d%s".formatted(service.port(), path));
    try (var http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
    }
  }

  @Test
  void rulesWithoutACounterGetBlanketStrategies() throws InterruptedException {
    assertThat(blanket(Map.of("nothing", "matches"))).isEqualTo(BlanketRule.ALLOW_ALL);
    assertThat(blanket(Map.of("tenant", "partner"))).isEqualTo(BlanketRule.ALLOW_ALL);
    assertThat(blanket(Map.of("tenant", "blocked"))).isEqualTo(BlanketRule.DENY_ALL);
    assertThat(blanket(Map.of("logged", "a"))).isEqualTo(BlanketRule.DENY_ALL);
  }

  @Test
  void bucketWithTooManyEntriesIsDenied() throws InterruptedException {
    var entries = new LinkedHashMap<String, String>();
    for (int i = 0; i <= BucketName.MAX_ENTRIES; i++) entries.put("key" + i, "v");
    assertThat(blanket(entries)).isEqualTo(BlanketRule.DENY_ALL);
  }

  /** Envoy rejects a whole response with such an id, so that one header would end all quotas. */
  @Test
  void bucketThatIsNotUtf8IsIgnoredAndTheOthersAreAssigned() throws InterruptedException {
    var invalid = ByteString.copyFrom(new byte[] {'a', (byte) 0xFF});
    var reports =
        io.headgate.server.grpc.proto.RateLimitQuotaUsageReports.newBuilder().setDomain("shop");
    for (var value : List.of(invalid, ByteString.copyFromUtf8("valid"))) {
      reports
          .addBucketQuotaUsagesBuilder()
          .setNumRequestsDenied(1)
          .getBucketIdBuilder()
          .addBucketBuilder()
          .setKey("tenant")
          .setValueBytes(value);
    }
    reports.addBucketQuotaUsagesBuilder().getBucketIdBuilder();
    var method = RateLimitQuotaServiceGrpc.getStreamRateLimitQuotasMethod();
    var call = OpenCall.open(service, raw(method));
    call.send(reports.build().toByteArray());
    var response = Objects.requireNonNull(call.answer(), "no response");
    assertThat(response.getBucketActionList())
        .hasSize(2)
        .allSatisfy(action ->
            assertThat(action.getBucketId().getBucketMap()).isEqualTo(Map.of("tenant", "valid")));
    call.end();
  }

  private static <A> MethodDescriptor<byte[], A> raw(MethodDescriptor<?, A> method) {
    return MethodDescriptor.<byte[], A>newBuilder()
        .setType(method.getType())
        .setFullMethodName(method.getFullMethodName())
        .setRequestMarshaller(
            new MethodDescriptor.Marshaller<>() {
              @Override
              public InputStream stream(byte[] bytes) {
                return new ByteArrayInputStream(bytes);
              }

              @Override
              public byte[] parse(InputStream stream) {
                throw new UnsupportedOperationException();
              }
            })
        .setResponseMarshaller(method.getResponseMarshaller())
        .build();
  }

  @Test
  void streamWithoutADomainIsRefused() throws Exception {
    var call = OpenCall.open(service, RateLimitQuotaServiceGrpc.getStreamRateLimitQuotasMethod());
    call.send(report("", Map.of("tenant", "a")));
    assertThat(call.status().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void streamWithoutATokenIsRefused() throws Exception {
    var access = new AccessControl(Optional.of("for-admins"), Optional.of("for-checks"));
    try (var guarded = GrpcService.with(access, PER_TENANT)) {
      var call = OpenCall.open(guarded, RateLimitQuotaServiceGrpc.getStreamRateLimitQuotasMethod());
      call.send(report("shop", Map.of("tenant", "a")));
      assertThat(call.status().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    }
  }

  /** Sends until the limit is exhausted; three proxies with unequal traffic. */
  static void runUntilExhausted(List<SimulatedEnvoy> envoys, long limit) {
    var turn = new int[1];
    Eventually.holds(
        "the limit is exhausted",
        PATIENCE,
        () -> {
          turn[0]++;
          for (int i = 0; i < envoys.size(); i++) {
            for (int request = 0; request <= 2 * i; request++) envoys.get(i).request();
            if (turn[0] % 10 == 0) envoys.get(i).report();
          }
          return admitted(envoys) >= limit * 2 / 3 || anyFailed(envoys);
        });
    // Well beyond the limit, if there was more to have.
    for (int i = 0; i < 1_000; i++) for (var envoy : envoys) envoy.request();
    assertThat(envoys).allSatisfy(envoy -> assertThat(envoy.failure()).isNull());
    assertThat(admitted(envoys)).isLessThanOrEqualTo(limit);
  }

  private static boolean anyFailed(List<SimulatedEnvoy> envoys) {
    return envoys.stream().anyMatch(envoy -> envoy.failure() != null);
  }

  static long admitted(List<SimulatedEnvoy> envoys) {
    return envoys.stream().mapToLong(SimulatedEnvoy::admitted).sum();
  }

  @Test
  void threeEnvoysTogetherAdmitAtMostTheLimit() {
    var tenant = Map.of("tenant", "shared");
    try (var one = new SimulatedEnvoy(service.port(), tenant);
        var two = new SimulatedEnvoy(service.port(), tenant);
        var three = new SimulatedEnvoy(service.port(), tenant)) {
      runUntilExhausted(List.of(one, two, three), LIMIT);
    }
  }

  /** One of them dies and one restarts; what they held is never assigned again. */
  @Test
  void envoysThatDieAndRestartDoNotExceedTheLimit() {
    var tenant = Map.of("tenant", "restarted");
    var all = new ArrayList<SimulatedEnvoy>();
    try (var one = new SimulatedEnvoy(service.port(), tenant)) {
      all.add(one);
      for (int round = 0; round < 5; round++) {
        try (var other = new SimulatedEnvoy(service.port(), tenant)) {
          all.add(other);
          one.request();
          other.request();
          Eventually.holds(
              "an assignment",
              PATIENCE,
              () -> {
                one.report();
                return other.isAssigned();
              });
          while (other.request()) {}
        }
      }
      for (int i = 0; i < 1_000; i++) one.request();
      assertThat(admitted(all)).isGreaterThan(LIMIT / 4).isLessThanOrEqualTo(LIMIT);
    }
  }

  @Test
  void instancesThatShareRedisAdmitAtMostTheLimit() {
    try (var redis = RedisServer.start();
        var first = assigning(redis);
        var second = assigning(redis);
        var one = new SimulatedEnvoy(first.port(), Map.of("tenant", "a"));
        var two = new SimulatedEnvoy(second.port(), Map.of("tenant", "a"));
        var three = new SimulatedEnvoy(second.port(), Map.of("tenant", "a"))) {
      runUntilExhausted(List.of(one, two, three), LIMIT);
      var subject = Subject.of(Map.of("domain", "shop", "descriptor", "tenant", "tenant", "a"));
      var allowed = 0;
      while (first.limiter.check(subject).isAllowed()) allowed++;
      assertThat(allowed + admitted(List.of(one, two, three))).isLessThanOrEqualTo(LIMIT);
    }
  }

  private static GrpcService assigning(RedisServer redis) {
    return GrpcService.assigning(RedisStore.connect(redis.uri()), SETTINGS, RULES);
  }

  @Test
  void streamThatDiesGivesItsQuotaBack() {
    try (var brief = GrpcService.assigning(MemoryStore.create(), SHORT, RULES)) {
      var subject = Subject.of(Map.of("domain", "shop", "descriptor", "refilled", "refilled", "a"));
      try (var envoy = new SimulatedEnvoy(brief.port(), Map.of("refilled", "a"))) {
        Eventually.holds("an assignment", PATIENCE, envoy::request);
        assertThat(remaining(brief, subject)).isLessThanOrEqualTo(20);
      }
      Eventually.holds("all permits are back", PATIENCE, () -> remaining(brief, subject) == 40);
    }
  }

  private static long remaining(GrpcService service, Subject subject) {
    var decision = service.limiter.peek(subject).decision();
    return ((Decision.Allowed) decision).remaining();
  }

  @Test
  void idleBucketIsAbandoned() throws InterruptedException {
    try (var brief = GrpcService.assigning(MemoryStore.create(), SHORT, RULES)) {
      var call = OpenCall.open(brief, RateLimitQuotaServiceGrpc.getStreamRateLimitQuotasMethod());
      call.send(report("shop", Map.of("nothing", "matches")));
      var answers = new ArrayList<RateLimitQuotaResponse>();
      Eventually.holds(
          "the bucket is abandoned",
          PATIENCE,
          () -> {
            answers.add(Objects.requireNonNull(call.answer()));
            return answers.getLast().getBucketAction(0).hasAbandonAction();
          });
      call.end();
    }
  }

  @Test
  void streamsBeyondTheBoundAreRefused() throws Exception {
    try (var brief = GrpcService.assigning(MemoryStore.create(), SHORT, RULES)) {
      var method = RateLimitQuotaServiceGrpc.getStreamRateLimitQuotasMethod();
      for (int i = 0; i < 2; i++) {
        var call = OpenCall.open(brief, method);
        call.send(report("shop", Map.of("tenant", "a")));
        assertThat(call.answer()).isNotNull();
      }
      var refused = OpenCall.open(brief, method);
      assertThat(refused.status().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }
  }
}
