package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.codes;
import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static io.headgate.server.grpc.EnvoyClient.headers;
import static io.headgate.server.grpc.EnvoyClient.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.Deny;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import io.headgate.testkit.ConcurrentRunner;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests ShouldRateLimit; each test uses its own keys. */
class RateLimitServiceTest {
  private static final int LONG = 3_000;
  private static GrpcService service;

  @BeforeAll
  static void start() {
    service =
        GrpcService.with(
            rule("per-user", "user").limit(window(3, Duration.ofMinutes(1))).build(),
            rule("per-path", "path").limit(window(2, Duration.ofHours(1))).build(),
            rule("odd", "odd").limit(TokenBucket.of(Rate.of(100, Duration.ofMinutes(5)))).build(),
            rule("month", "month")
                .limit(FixedWindow.of(7, new Window.Calendar(Window.Unit.MONTH, ZoneOffset.UTC)))
                .build(),
            rule("shadowed", "shadow")
                .mode(Mode.SHADOW)
                .limit(window(1, Duration.ofMinutes(1)))
                .build(),
            rule("line", "line").limit(LeakyBucket.of(Rate.perMinute(1)).withQueue(2)).build(),
            rule("slots", "job").limit(Concurrency.of(1)).build(),
            rule("adaptive", "upstream").limit(AdaptiveConcurrency.between(1, 50)).build(),
            rule("exactly-two", "b")
                .match("descriptor", "a,b")
                .limit(window(1, Duration.ofMinutes(1)))
                .build(),
            rule("block", "bot").limit(new Deny()).build(),
            rule("health", "probe").exempt().build(),
            rule("bytes", "bytes")
                .limit(
                    RuleLimit.of("bytes", window(9, Duration.ofHours(1))).withRequiredCost("bytes"))
                .build(),
            rule("scarce", "scarce").limit(window(50, Duration.ofDays(1))).build(),
            rule("ample", "ample").limit(window(5_000, Duration.ofDays(1))).build());
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static Rule.Builder rule(String id, String attribute) {
    return Rule.named(id).match("domain", "shop").match(attribute, "*");
  }

  private static FixedWindow window(long permits, Duration length) {
    return FixedWindow.of(Rate.of(permits, length));
  }

  private static RateLimitResponse ask(RateLimitDescriptor... descriptors) {
    return service.envoy.ask("shop", descriptors);
  }

  private static RateLimitDescriptor hits(long hits, RateLimitDescriptor descriptor) {
    return descriptor.toBuilder().setHitsAddend(UInt64Value.of(hits)).build();
  }

  private static RateLimitDescriptor limited(
      int permits, RateLimitUnit unit, RateLimitDescriptor descriptor) {
    return descriptor.toBuilder()
        .setLimit(RateLimitOverride.newBuilder().setRequestsPerUnit(permits).setUnit(unit))
        .build();
  }

  @Test
  void callUnderARuleThatRequiresANamedCostIsOverLimitAndChargesNothing() {
    var answer = ask(descriptor("user", "beside-bytes"), descriptor("bytes", "7"));
    assertThat(answer.getOverallCode())
        .as("Envoy sends no named costs, and an error would admit the request")
        .isEqualTo(Code.OVER_LIMIT);
    assertThat(ask(descriptor("user", "beside-bytes")).getStatuses(0).getLimitRemaining())
        .isEqualTo(2);
  }

  @Test
  void ruleThatDeniesEveryRequestIsOverLimitWithoutReset() {
    var answer = ask(descriptor("bot", "7"), descriptor("user", "beside-a-bot"));
    assertThat(answer.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(codes(answer)).containsExactly(Code.OVER_LIMIT, Code.OK);
    var status = answer.getStatuses(0);
    assertThat(status.hasDurationUntilReset()).isFalse();
    assertThat(status.getCurrentLimit().getName()).isEqualTo("block");
    assertThat(status.getCurrentLimit().getRequestsPerUnit()).isZero();
    assertThat(headers(answer)).doesNotContainKeys("Retry-After", "RateLimit");
    assertThat(ask(descriptor("user", "beside-a-bot")).getStatuses(0).getLimitRemaining())
        .as("nothing was charged")
        .isEqualTo(2);
    var own = limited(5, RateLimitUnit.HOUR, descriptor("bot", "7"));
    assertThat(ask(own).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
  }

  @Test
  void exemptDescriptorIsOkWithoutALimit() {
    var probe = limited(0, RateLimitUnit.HOUR, descriptor("probe", "x"));
    var answer = ask(probe);
    assertThat(answer.getOverallCode()).isEqualTo(Code.OK);
    assertThat(answer.getStatuses(0).hasCurrentLimit()).isFalse();
  }

  @Test
  void limitIsEnforcedAndReported() {
    var user = descriptor("user", "ada");
    for (int left = 2; left >= 0; left--) {
      var answer = ask(user);
      assertThat(answer.getOverallCode()).isEqualTo(Code.OK);
      var status = answer.getStatuses(0);
      assertThat(status.getCode()).isEqualTo(Code.OK);
      assertThat(status.getLimitRemaining()).isEqualTo(left);
      assertThat(status.getDurationUntilReset().getSeconds()).isEqualTo(60);
      assertThat(status.getCurrentLimit().getName()).isEqualTo("per-user");
      assertThat(status.getCurrentLimit().getRequestsPerUnit()).isEqualTo(3);
      assertThat(status.getCurrentLimit().getUnit()).isEqualTo(Unit.MINUTE);
    }
    var denied = ask(user);
    assertThat(denied.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(codes(denied)).containsExactly(Code.OVER_LIMIT);
    assertThat(denied.getStatuses(0).getLimitRemaining()).isZero();
  }

  @Test
  void headersEqualThoseOfHttp() {
    var user = hits(3, descriptor("user", "hedy"));
    assertThat(headers(ask(user)))
        .containsEntry("RateLimit-Policy", "\"per-user\";q=3;w=60")
        .containsEntry("RateLimit", "\"per-user\";r=0;t=60")
        .containsEntry("X-RateLimit-Limit", "3")
        .containsEntry("X-RateLimit-Remaining", "0")
        .containsEntry("X-RateLimit-Reset", "" + (GrpcService.START / 1_000_000 + 60))
        .doesNotContainKey("Retry-After");
    assertThat(headers(ask(user)))
        .containsEntry("Retry-After", "60")
        .containsEntry("Cache-Control", "no-store");
  }

  @Test
  void statusesAreInTheOrderOfTheDescriptors() {
    ask(hits(2, descriptor("path", "/order")));
    var answer =
        ask(
            descriptor("user", "order"),
            descriptor("path", "/order"),
            descriptor("nobody", "knows"),
            descriptor("user", "other"));
    assertThat(answer.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(codes(answer)).containsExactly(Code.OK, Code.OVER_LIMIT, Code.OK, Code.OK);
    assertThat(answer.getStatuses(0).getCurrentLimit().getName()).isEqualTo("per-user");
    assertThat(answer.getStatuses(1).getCurrentLimit().getName()).isEqualTo("per-path");
    assertThat(answer.getStatuses(2).hasCurrentLimit()).isFalse();
    assertThat(answer.getStatuses(0).getLimitRemaining()).isEqualTo(3);
  }

  @Test
  void descriptorWithoutMatchingRuleIsAllowed() {
    var answer = service.envoy.ask("elsewhere", descriptor("user", "ada"));
    assertThat(answer.getOverallCode()).isEqualTo(Code.OK);
    assertThat(codes(answer)).containsExactly(Code.OK);
    assertThat(answer.getStatuses(0).hasCurrentLimit()).isFalse();
    assertThat(answer.getResponseHeadersToAddList()).isEmpty();
  }

  @Test
  void ruleCanRequireExactlyTheseEntries() {
    for (int i = 0; i < 3; i++) {
      assertThat(ask(descriptor("b", "2")).getOverallCode()).isEqualTo(Code.OK);
      assertThat(ask(descriptor("b", "2", "a", "1")).getOverallCode()).isEqualTo(Code.OK);
    }
    assertThat(ask(descriptor("a", "1", "b", "2")).getOverallCode()).isEqualTo(Code.OK);
    assertThat(ask(descriptor("a", "1", "b", "2")).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
  }

  @Test
  void hitsOfTheCallApplyToEachDescriptorAndDefaultToOne() {
    var call = request("shop", descriptor("user", "hits"), descriptor("path", "/hits"));
    var answer = service.envoy.stub().shouldRateLimit(call.toBuilder().setHitsAddend(2).build());
    assertThat(answer.getStatuses(0).getLimitRemaining()).isEqualTo(1);
    assertThat(answer.getStatuses(1).getLimitRemaining()).isZero();
    assertThat(ask(descriptor("user", "hits")).getStatuses(0).getLimitRemaining()).isZero();
  }

  @Test
  void hitsOfADescriptorOverrideAndZeroChargesNothing() {
    var call = request("shop", hits(0, descriptor("user", "own")), descriptor("path", "/own"));
    var answer = service.envoy.stub().shouldRateLimit(call.toBuilder().setHitsAddend(2).build());
    assertThat(answer.getOverallCode()).isEqualTo(Code.OK);
    assertThat(answer.getStatuses(0).getLimitRemaining()).isEqualTo(3);
    assertThat(answer.getStatuses(0).getCurrentLimit().getName()).isEqualTo("per-user");
    assertThat(answer.getStatuses(1).getLimitRemaining()).isZero();
  }

  @Test
  void zeroHitsReportTheStateInRedis() {
    var perUser = rule("per-user", "user").limit(window(3, Duration.ofDays(1))).build();
    try (var redis = RedisServer.start();
        var onRedis =
            GrpcService.over(RedisStore.connect(redis.uri()), Duration.ofSeconds(30), perUser)) {
      var user = descriptor("user", "ada");
      assertThat(onRedis.envoy.ask("shop", hits(0, user)).getStatuses(0).getLimitRemaining())
          .isEqualTo(3);
      onRedis.envoy.ask("shop", user);
      for (int i = 0; i < 2; i++) {
        assertThat(onRedis.envoy.ask("shop", hits(0, user)).getStatuses(0).getLimitRemaining())
            .isEqualTo(2);
      }
    }
  }

  @Test
  void moreHitsThanTheLimitAreDenied() {
    assertThat(ask(hits(4, descriptor("user", "many"))).getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
    assertThat(ask(hits(-1, descriptor("user", "many"))).getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
    assertThat(ask(hits(3, descriptor("user", "many"))).getOverallCode()).isEqualTo(Code.OK);
  }

  @Test
  void twoDescriptorsOfOneCounterAreBothCharged() {
    var user = descriptor("user", "twice");
    var first = ask(user, user);
    assertThat(first.getStatuses(0).getLimitRemaining()).isEqualTo(2);
    assertThat(first.getStatuses(1).getLimitRemaining()).isEqualTo(1);
    assertThat(ask(user, user).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(ask(user).getStatuses(0).getLimitRemaining()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void concurrentCallersGetExactlyTheLimitAndDenialsChargeNothing(ConcurrentRunner runner)
      throws Exception {
    var scarce = descriptor("scarce", runner.name());
    var ample = hits(2, descriptor("ample", runner.name()));
    long admitted =
        runner.sum(member -> {
          long mine = 0;
          for (int i = 0; i < 800 / runner.size(); i++) {
            if (ask(ample, scarce).getOverallCode() == Code.OK) mine++;
          }
          return mine;
        });
    assertThat(admitted).isEqualTo(50);
    assertThat(ask(hits(0, ample)).getStatuses(0).getLimitRemaining()).isEqualTo(5_000 - 100);
  }

  @Test
  void descriptorLimitReplacesTheRules() {
    var own = limited(5, RateLimitUnit.HOUR, descriptor("user", "override"));
    var answer = ask(hits(4, own));
    assertThat(answer.getOverallCode()).isEqualTo(Code.OK);
    var status = answer.getStatuses(0);
    assertThat(status.getLimitRemaining()).isEqualTo(1);
    assertThat(status.getCurrentLimit().getRequestsPerUnit()).isEqualTo(5);
    assertThat(status.getCurrentLimit().getUnit()).isEqualTo(Unit.HOUR);
    assertThat(ask(hits(2, own)).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(ask(descriptor("user", "override")).getStatuses(0).getLimitRemaining()).isEqualTo(2);
  }

  @Test
  void descriptorLimitNeedsAKnownDomainAndCountsEachDescriptor() {
    var one = limited(1, RateLimitUnit.DAY, descriptor("unmatched", "1"));
    var two = limited(1, RateLimitUnit.DAY, descriptor("unmatched", "2"));
    assertThat(ask(one, two).getOverallCode()).isEqualTo(Code.OK);
    assertThat(codes(ask(one, two))).containsExactly(Code.OVER_LIMIT, Code.OVER_LIMIT);
    var elsewhere = service.envoy.ask("elsewhere", one);
    assertThat(elsewhere.getOverallCode()).isEqualTo(Code.OK);
    assertThat(elsewhere.getStatuses(0).hasCurrentLimit()).isFalse();
  }

  @Test
  void limitOfZeroDeniesEverything() {
    var closed = limited(0, RateLimitUnit.SECOND, descriptor("user", "closed"));
    assertThat(ask(closed).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(ask(hits(0, closed)).getOverallCode()).isEqualTo(Code.OK);
  }

  @Test
  void limitWithAnUnknownUnitDeniesEverything() {
    var unknown = limited(1, RateLimitUnit.UNKNOWN, descriptor("user", "unit"));
    assertThat(ask(unknown).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    var later = unknown.toBuilder();
    later.getLimitBuilder().setUnitValue(99);
    assertThat(ask(later.build()).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
  }

  @Test
  void windowWithoutEnvoyUnitIsReportedInTheName() {
    var limit = ask(descriptor("odd", "x")).getStatuses(0).getCurrentLimit();
    assertThat(limit.getUnit()).isEqualTo(Unit.MINUTE);
    assertThat(limit.getRequestsPerUnit()).isEqualTo(100);
    assertThat(limit.getName()).isEqualTo("odd;q=100;w=300");
    var month = ask(descriptor("month", "x")).getStatuses(0).getCurrentLimit();
    assertThat(month.getUnit()).isEqualTo(Unit.MONTH);
    assertThat(month.getName()).isEqualTo("month");
  }

  @Test
  void shadowRuleIsReportedAndNeverDenies() {
    for (int i = 0; i < 3; i++) {
      var answer = ask(descriptor("shadow", "x"));
      assertThat(answer.getOverallCode()).isEqualTo(Code.OK);
      assertThat(answer.getStatuses(0).getCurrentLimit().getName()).isEqualTo("shadowed");
    }
  }

  @Test
  void delayedRequestIsOk() {
    var line = descriptor("line", "x");
    for (int i = 0; i < 3; i++) assertThat(ask(line).getOverallCode()).isEqualTo(Code.OK);
    assertThat(ask(line).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
  }

  @Test
  void slotIsHeldUntilItExpires() {
    var job = descriptor("job", "x");
    assertThat(ask(job).getStatuses(0).getCurrentLimit().getName())
        .isEqualTo("slots;q=1;qu=concurrent-requests");
    var adaptive = ask(descriptor("upstream", "x")).getStatuses(0);
    assertThat(adaptive.getCurrentLimit().getName())
        .isEqualTo("adaptive;q=20;qu=concurrent-requests");
    assertThat(adaptive.getCurrentLimit().getRequestsPerUnit()).isEqualTo(20);
    assertThat(adaptive.getLimitRemaining()).isEqualTo(19);
    assertThat(ask(job).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
  }

  @Test
  void tooLongValueHasItsOwnCounter() {
    String prefix = "v".repeat(LONG);
    for (int i = 0; i < 3; i++) ask(descriptor("user", prefix + "1"));
    assertThat(ask(descriptor("user", prefix + "1")).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(ask(descriptor("user", prefix + "2")).getOverallCode()).isEqualTo(Code.OK);
  }

  @Test
  void emptyValueIsCounted() {
    assertThat(ask(descriptor("user", "")).getStatuses(0).getLimitRemaining()).isEqualTo(2);
  }

  @Test
  void entriesOfOneKeyAreNumbered() {
    ask(descriptor("user", "first", "user", "second", "domain", "d"));
    var subject =
        Subject.of(
            Map.of(
                "domain", "shop",
                "descriptor", "user,user,domain",
                "user", "first",
                "user#2", "second",
                "domain#2", "d"));
    assertThat(service.limiter.peek(Request.of(subject, 0)).limit().orElseThrow().remaining())
        .isEqualTo(2);
  }

  @Test
  void callWithoutDomainOrDescriptorsIsRejected() {
    assertThat(refused(() -> service.envoy.ask("", descriptor("user", "x"))))
        .contains("INVALID_ARGUMENT", "domain is empty");
    assertThat(refused(() -> ask())).contains("INVALID_ARGUMENT", "no descriptors");
  }

  private static String refused(ThrowingCallable call) {
    var status = catchThrowableOfType(StatusRuntimeException.class, call).getStatus();
    assertThat(status.getCode()).isNotIn(Status.Code.INTERNAL, Status.Code.UNKNOWN);
    return status.getCode() + " " + status.getDescription();
  }
}
