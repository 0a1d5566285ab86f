package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Consistency;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FaultProxy;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests a Redis that replies later than a gRPC call may take, but before the store's own deadline:
 * each call has a decision, by the failure policy of its rule.
 */
class SlowStoreTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration CALL = Duration.ofMillis(20);
  private static final Duration STORE = Duration.ofSeconds(5);
  private static final Duration ONE_WAY = Duration.ofMillis(75);
  private static final int LIMIT = 20;

  private RedisServer redis;
  private FaultProxy proxy;
  private RedisStore store;
  private GrpcService service;

  private static Rule rule(String attribute, FailurePolicy policy, int limit) {
    return Rule.named(attribute)
        .match(attribute, "*")
        .onStoreFailure(policy)
        .limit(FixedWindow.of(Rate.perDay(limit)))
        .build();
  }

  @BeforeEach
  void start() {
    redis = RedisServer.start();
    proxy = FaultProxy.to(redis.port());
    var uri = "redis://127.0.0.1:" + proxy.port();
    store = RedisStore.connect(RedisOptions.builder(uri).deadline(STORE).warmUpCalls(0).build());
    service =
        GrpcService.over(
            store,
            CALL,
            rule("deny", new FailurePolicy.Deny(), 1_000),
            rule("allow", new FailurePolicy.Allow(), 1_000),
            rule("local", new FailurePolicy.Local(), LIMIT),
            Rule.named("leased")
                .match("leased", "*")
                .consistency(Consistency.LEASED)
                .onStoreFailure(new FailurePolicy.Deny())
                .limit(FixedWindow.of(Rate.perDay(1_000)))
                .build());
  }

  @AfterEach
  void stop() {
    service.close();
    proxy.close();
    redis.close();
  }

  private Code ask(String attribute) {
    return service.envoy.ask("any", descriptor(attribute, "1")).getOverallCode();
  }

  private void awaitStore() {
    Eventually.holds(
        "Redis decides",
        PATIENCE,
        () -> {
          var peeked = service.limiter.peek(Subject.of(Map.of("deny", "1")));
          return peeked.source() == Source.STORE && ask("deny") == Code.OK;
        });
  }

  @Test
  void failurePoliciesDecideAtTheDeadlineOfTheCall() {
    awaitStore();
    proxy.delay(ONE_WAY);
    for (int i = 0; i < 10; i++) {
      assertThat(ask("deny")).isEqualTo(Code.OVER_LIMIT);
      assertThat(ask("allow")).isEqualTo(Code.OK);
    }
  }

  /** A request for a lease is another command, and the rest of the plan is sent after its reply. */
  @Test
  void leasedRulesAndSeveralDescriptorsAreDecidedAtTheDeadlineToo() {
    awaitStore();
    proxy.delay(ONE_WAY);
    assertThat(ask("leased")).isEqualTo(Code.OVER_LIMIT);
    var both = List.of(descriptor("allow", "2"), descriptor("leased", "2"));
    for (int i = 0; i < 5; i++) {
      var call = EnvoyClient.request("any", both.getFirst(), both.getLast());
      assertThat(service.envoy.stub().shouldRateLimit(call).getOverallCode())
          .isEqualTo(Code.OVER_LIMIT);
    }
  }

  /** All calls at once: after a second without a reply, Redis is down and shares are spent. */
  @Test
  void limitIsKeptAndChargedWhileRedisIsSlow() throws IOException {
    awaitStore();
    int admitted = ask("local") == Code.OK ? 1 : 0;
    proxy.delay(ONE_WAY);
    var message = EnvoyClient.request("any", descriptor("local", "1")).toByteArray();
    try (var client = new RawHttp2(service.port())) {
      for (int i = 0; i < 2 * LIMIT; i++) client.call(RawHttp2.RATE_LIMIT, message, false);
      for (int i = 0; i < 2 * LIMIT; ) {
        var frame = client.next();
        if (frame.type() != RawHttp2.DATA || frame.payload().remaining() == 0) continue;
        var reply = RateLimitResponse.parseFrom(frame.payload().position(RawHttp2.PREFIX));
        if (reply.getOverallCode() == Code.OK) admitted++;
        i++;
      }
    }
    assertThat(admitted).isBetween(2, LIMIT);
    proxy.pass();
    int left = LIMIT - admitted;
    Eventually.holds(
        "Redis is charged what was admitted",
        PATIENCE,
        () -> {
          var peeked = service.limiter.peek(Subject.of(Map.of("local", "1")));
          return peeked.source() == Source.STORE && peeked.limits().getFirst().remaining() == left;
        });
  }

  @Test
  void circuitBreakerOpensAndStaysOpenUntilRedisIsFastEnough() {
    awaitStore();
    proxy.delay(ONE_WAY);
    Eventually.holds(
        "the circuit breaker opens",
        PATIENCE,
        () -> {
          assertThat(ask("deny")).isEqualTo(Code.OVER_LIMIT);
          return store.isUnavailable();
        });
    Eventually.holds(
        "a probe misses the deadline of calls",
        PATIENCE,
        () -> store.lastProblem().orElse("").contains("calls wait for 20 ms"));
    assertThat(store.isUnavailable()).isTrue();
    proxy.pass();
    Eventually.holds("Redis decides again", PATIENCE, () -> ask("deny") == Code.OK);
    assertThat(store.isUnavailable()).isFalse();
  }

  /** Otherwise one client with a short timeout could end the use of Redis for all others. */
  @Test
  void timeoutOfAClientBelowThatOfTheServiceIsNoFailureOfRedis() throws IOException {
    awaitStore();
    proxy.delay(ONE_WAY);
    var message = EnvoyClient.request("any", descriptor("deny", "1")).toByteArray();
    var streams = new ArrayList<Integer>();
    try (var client = new RawHttp2(service.port())) {
      for (int i = 0; i < 10; i++) streams.add(client.call(RawHttp2.RATE_LIMIT, message, "5m"));
      for (int stream : streams) client.next(RawHttp2.DATA, stream);
    }
    assertThat(store.isUnavailable()).isFalse();
  }
}
