package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.Decision;
import io.headgate.Decision.Allowed;
import io.headgate.Decision.Denied;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.load.CallOutcome;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.ConcurrentRunner;
import io.headgate.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks against the real service. */
class HeadgateClientTest {
  private static final Duration PATIENT = Duration.ofSeconds(30);

  private static final TestService SERVICE =
      TestService.with(
          Rule.named("per-user").match("user", "*").limit(TokenBucket.of(Rate.perHour(3))).build(),
          Rule.named("crowd").match("crowd", "*").limit(FixedWindow.of(Rate.perDay(100))).build(),
          Rule.named("jobs").match("job", "*").limit(Concurrency.of(1)).build(),
          Rule.named("queue")
              .match("partner", "*")
              .limit(LeakyBucket.of(Rate.perSecond(20)).withQueue(5))
              .build(),
          Rule.named("uploads")
              .match("tenant", "*")
              .limit(RuleLimit.of("bytes", TokenBucket.of(Rate.perHour(1_000))).withCost("bytes"))
              .build());

  private static final HeadgateClient CLIENT = HeadgateClient.connect(patient(SERVICE.url()));

  @AfterAll
  static void stop() {
    CLIENT.close();
    SERVICE.close();
  }

  private static ClientOptions patient(String url) {
    return ClientOptions.builder(url).deadline(PATIENT).failureMode(FailureMode.THROW).build();
  }

  @Test
  void resultNamesUnusedCosts() {
    var tenant = Subject.of("tenant", "misspelt");
    assertThat(CLIENT.checkForResult(new Request(tenant, 1, Map.of("byte", 90_000L))).unusedCosts())
        .containsExactly("byte");
    assertThat(CLIENT.checkForResult(new Request(tenant, 1, Map.of("bytes", 9L))).unusedCosts())
        .isEmpty();
  }

  @Test
  void checkChargesUntilTheLimitAndThenDenies() {
    var subject = Subject.of("user", "checked");
    for (long left = 2; left >= 0; left--) {
      assertThat(CLIENT.check(subject)).isInstanceOfSatisfying(Allowed.class, remaining(left));
    }
    var denied = CLIENT.checkForResult(subject);
    assertThat(denied.decision())
        .isInstanceOfSatisfying(
            Denied.class,
            decision ->
                assertThat(decision.retryAfter())
                    .isBetween(Duration.ofMinutes(19), Duration.ofMinutes(20)));
    assertThat(denied.rule()).contains("per-user");
    assertThat(denied.violated()).containsExactly("per-user");
    assertThat(denied.source()).isEqualTo(Source.STORE);
    assertThat(denied.failure()).isEmpty();
    assertThat(denied.limits())
        .singleElement()
        .satisfies(limit -> {
          assertThat(limit.algorithm()).isEqualTo("token-bucket");
          assertThat(limit.limit()).isEqualTo(3);
          assertThat(limit.remaining()).contains(0L);
        });
  }

  private static Consumer<Allowed> remaining(long left) {
    return allowed -> assertThat(allowed.remaining()).isEqualTo(left);
  }

  @Test
  void peekChargesNothing() {
    var subject = Subject.of("user", "peeked");
    for (int i = 0; i < 3; i++) {
      assertThat(CLIENT.peek(subject).decision())
          .isInstanceOfSatisfying(Allowed.class, remaining(3));
    }
  }

  @Test
  void requestThatNoRuleMatchesIsUnlimited() {
    assertThat(CLIENT.check(Subject.of("nothing")))
        .isInstanceOfSatisfying(Allowed.class, remaining(Allowed.UNLIMITED));
  }

  @Test
  void costAboveTheCapacityIsImpossible() {
    assertThat(CLIENT.check(Request.of(Subject.of("user", "greedy"), 4)))
        .isEqualTo(new Decision.Impossible(4, 3));
    var upload = new Request(Subject.of("tenant", "greedy"), 1, Map.of("bytes", 1_001L));
    assertThat(CLIENT.check(upload)).isEqualTo(new Decision.Impossible(1_001, 1_000));
  }

  @Test
  void namedCostsAreCharged() {
    var upload = new Request(Subject.of("tenant", "acme"), 1, Map.of("bytes", 400L));
    assertThat(CLIENT.check(upload)).isInstanceOfSatisfying(Allowed.class, remaining(600));
  }

  /** Continuations do not run on the thread that receives the replies of the next check. */
  @Test
  void continuationOfACheckMayBlockOnAnother() {
    var last =
        CLIENT
            .checkAsync(Subject.of("user", "first"))
            .thenApply(first -> CLIENT.check(Subject.of("user", "second")))
            .thenApply(second -> CLIENT.acquire(Subject.of("user", "third")).isAllowed());
    assertThat(last.toCompletableFuture().join()).isTrue();
    assertThat(CLIENT.peek(Subject.of("user", "second")).limits().getFirst().remaining())
        .contains(2L);
  }

  @Test
  void queuedRequestIsDelayed() throws InterruptedException {
    var subject = Subject.of("partner", "bank");
    CLIENT.check(subject);
    assertThat(CLIENT.checkForResult(subject).delay()).isPositive();
    long start = System.nanoTime();
    assertThat(CLIENT.await(Request.of(subject)).isAllowed()).isTrue();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(20));
  }

  @Test
  void slotIsHeldUntilItIsClosed() {
    var job = Subject.of("job", "report");
    try (var slot = CLIENT.acquire(job)) {
      assertThat(slot.isAllowed()).isTrue();
      assertThat(slot.renew()).isTrue();
      try (var second = CLIENT.acquire(job)) {
        assertThat(second.isAllowed()).isFalse();
        assertThat(second.id()).isEmpty();
        assertThat(second.renew()).isFalse();
      }
    }
    try (var next = CLIENT.acquire(job)) {
      assertThat(next.isAllowed()).isTrue();
      next.release(CallOutcome.SUCCESS);
      assertThat(next.renew()).isFalse();
      assertThat(CLIENT.release(next.id().orElseThrow())).isFalse();
    }
  }

  @Test
  void denialByAConcurrencyLimitIsNotRepeated() {
    var job = Subject.of("job", "cached");
    var first = CLIENT.checkForResult(job);
    assertThat(CLIENT.check(job).isAllowed()).isFalse();
    assertThat(CLIENT.release(first.slotId().orElseThrow())).isTrue();
    assertThat(CLIENT.check(job).isAllowed()).isTrue();
  }

  @Test
  void eachOfSeveralRequestsIsDecidedOnItsOwn() {
    var one = Request.of(Subject.of("user", "each"), 2);
    var other = Request.of(Subject.of("user", "other"), 2);
    assertThat(CLIENT.checkEach(List.of(one, one, other)))
        .extracting(RemoteResult::isAllowed)
        .containsExactly(true, false, true);
  }

  @ParameterizedTest
  @EnumSource(ConcurrentRunner.class)
  void exactlyTheLimitIsAdmittedOverFewConnections(ConcurrentRunner runner) throws Exception {
    try (var proxy = FaultProxy.to(SERVICE.port());
        var client = HeadgateClient.connect(patient("http://127.0.0.1:" + proxy.port()))) {
      var subject = Subject.of("crowd", runner.name());
      long admitted =
          runner.sum(thread -> {
            long own = 0;
            for (int i = 0; i < 30; i++) own += client.check(subject).isAllowed() ? 1 : 0;
            return own;
          });
      assertThat(admitted).isEqualTo(100);
      assertThat(proxy.accepted()).isLessThanOrEqualTo(4);
    }
  }

  @Test
  void concurrentChecksShareRequests() throws Exception {
    try (var service =
            new ScriptedService(exchange -> {
              exchange.sendResponseHeaders(500, -1);
              exchange.close();
            });
        var client =
            HeadgateClient.connect(
                ClientOptions.builder(service.url()).deadline(PATIENT).maxInFlight(1).build())) {
      ConcurrentRunner.VIRTUAL.sum(
          thread -> client.check(Subject.of("user", "u" + thread)).isAllowed() ? 1 : 0);
      assertThat(service.requests()).hasSizeLessThan(20).contains("POST /v1/check/batch");
    }
  }

  @Test
  void invalidCheckOfABatchFailsAlone() throws Exception {
    try (var client =
        HeadgateClient.connect(
            ClientOptions.builder(SERVICE.url()).deadline(PATIENT).maxInFlight(1).build())) {
      var invalid = Subject.of("user", "line\nbreak");
      long rejected =
          ConcurrentRunner.VIRTUAL.sum(thread -> {
            var subject = thread % 10 == 0 ? invalid : Subject.of("user", "valid" + thread);
            try {
              assertThat(client.check(subject)).isInstanceOf(Allowed.class);
              return 0;
            } catch (RequestRejectedException e) {
              assertThat(e.status()).isEqualTo(400);
              assertThat(e).hasMessageContaining("control character");
              return 1;
            }
          });
      assertThat(rejected).isEqualTo(20);
      // Charged once each: two of three permits are left.
      assertThat(client.peek(Subject.of("user", "valid7")).decision())
          .isInstanceOfSatisfying(Allowed.class, remaining(2));
    }
  }

  @ParameterizedTest
  @EnumSource(FailureMode.class)
  void wrongTokenIsNoReasonToAllow(FailureMode mode) {
    try (var service = TestService.withToken("right-token-of-the-service");
        var client =
            HeadgateClient.connect(
                ClientOptions.builder(service.url())
                    .token("wrong-secret")
                    .deadline(PATIENT)
                    .failureMode(mode)
                    .build())) {
      var subject = Subject.of("user", "42");
      assertThatThrownBy(() -> client.check(subject))
          .isInstanceOf(RequestRejectedException.class)
          .hasMessageNotContaining("wrong-secret");
      assertThatThrownBy(() -> client.acquire(subject))
          .isInstanceOf(RequestRejectedException.class);
      assertThat(client.checkAsync(subject))
          .failsWithin(PATIENT)
          .withThrowableThat()
          .withCauseInstanceOf(RequestRejectedException.class);
    }
  }

  @Test
  void tokenIsSentAndNeverPrinted() {
    var options = ClientOptions.builder("http://127.0.0.1:1").token("secret-token").build();
    assertThat(options.toString()).doesNotContain("secret-token").contains("(set)");
    assertThatThrownBy(() -> ClientOptions.builder("http://127.0.0.1:1").token("secret\ntoken"))
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> ClientOptions.builder("http://user:secret@127.0.0.1:1"))
        .hasMessageNotContaining("secret");
    try (var service = TestService.withToken("right-token-of-the-service");
        var client =
            HeadgateClient.connect(
                ClientOptions.builder(service.url())
                    .token("right-token-of-the-service")
                    .deadline(PATIENT)
                    .failureMode(FailureMode.THROW)
                    .build())) {
      assertThat(client.check(Subject.of("user", "42")).isAllowed()).isTrue();
    }
  }

  @Test
  void denialIsRepeatedWithoutTheService() {
    try (var proxy = FaultProxy.to(SERVICE.port());
        var client = HeadgateClient.connect("http://127.0.0.1:" + proxy.port())) {
      var request = Request.of(Subject.of("user", "repeated"), 3);
      var patient = client.within(PATIENT).onFailure(FailureMode.THROW);
      assertThat(patient.check(request).isAllowed()).isTrue();
      var denied = (Denied) patient.check(request);
      proxy.refuse();
      var repeated = patient.checkForResult(request);
      assertThat(repeated.source()).isEqualTo(Source.CACHE);
      assertThat(repeated.rule()).contains("per-user");
      assertThat(((Denied) repeated.decision()).retryAfter())
          .isPositive()
          .isLessThan(denied.retryAfter());
    }
  }

  @Test
  void closedClientFailsInsteadOfHanging() {
    var client = HeadgateClient.connect(patient(SERVICE.url()));
    client.close();
    assertThatThrownBy(() -> client.check(Subject.of("user", "late")))
        .isInstanceOfAny(HeadgateException.class, CompletionException.class);
  }
}
