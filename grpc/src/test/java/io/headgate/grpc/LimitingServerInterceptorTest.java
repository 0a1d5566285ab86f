package io.headgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.rpc.RetryInfo;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.StatusProto;
import io.headgate.Decision;
import io.headgate.RateLimiter;
import io.headgate.client.ClientOptions;
import io.headgate.client.FailureMode;
import io.headgate.client.HeadgateClient;
import io.headgate.limit.Concurrency;
import io.headgate.limit.Deny;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.testkit.ConcurrentRunner;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Limits the calls of a real server over a real connection. */
class LimitingServerInterceptorTest {
  private static final Duration PATIENT = Duration.ofSeconds(30);
  private static final String SERVICE = "grpc.health.v1.Health";

  private static RateLimiter limiter(Limit limit) {
    return RateLimiter.inMemory(
        Rule.named("health")
            .match("service", SERVICE)
            .match("ip", "127.0.0.1")
            .limit(limit)
            .build());
  }

  private static HealthServer server(RateLimiter limiter) {
    return new HealthServer(LimitingServerInterceptor.of(CallLimiter.of(limiter)));
  }

  private static StatusRuntimeException refusal(HealthServer server) {
    return catchThrowableOfType(
        StatusRuntimeException.class, () -> server.client().check(HealthServer.REQUEST));
  }

  private static RetryInfo retryInfo(StatusRuntimeException refusal) throws Exception {
    var status = StatusProto.fromThrowable(refusal);
    assertThat(status).isNotNull();
    assertThat(status.getDetailsCount()).isOne();
    return status.getDetails(0).unpack(RetryInfo.class);
  }

  @Test
  void deniedCallHasRetryInfo() throws Exception {
    try (var limiter = limiter(FixedWindow.of(Rate.perDay(2)));
        var server = server(limiter)) {
      for (int i = 0; i < 2; i++) server.client().check(HealthServer.REQUEST);
      var refusal = refusal(server);
      assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(refusal.getStatus().getDescription()).contains("'health'", "retry after");
      long seconds = retryInfo(refusal).getRetryDelay().getSeconds();
      assertThat(seconds).isBetween(0L, 86_400L);
      assertThat(refusal.getTrailers().get(DenialStatus.PUSHBACK)).matches("[0-9]+");
      assertThat(server.calls).hasValue(2);
    }
  }

  @Test
  void exactlyTheLimitIsAdmitted() throws Exception {
    try (var limiter = limiter(FixedWindow.of(Rate.perDay(50)));
        var server = server(limiter)) {
      long admitted =
          ConcurrentRunner.PLATFORM.sum(thread -> {
            long own = 0;
            for (int i = 0; i < 20; i++) own += refusal(server) == null ? 1 : 0;
            return own;
          });
      assertThat(admitted).isEqualTo(50);
      assertThat(server.calls).hasValue(50);
    }
  }

  @Test
  void slotIsReleasedWhenTheCallCloses() {
    try (var limiter = limiter(Concurrency.of(1));
        var server = server(limiter)) {
      for (int i = 0; i < 20; i++) server.client().check(HealthServer.REQUEST);
    }
  }

  @Test
  void slotIsReleasedWhenTheHandlerThrows() {
    try (var limiter = limiter(Concurrency.of(1));
        var server = server(limiter)) {
      var failure =
          catchThrowableOfType(
              StatusRuntimeException.class, () -> server.client().check(HealthServer.BROKEN));
      assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
      Eventually.holds("the slot is free", PATIENT, () -> refusal(server) == null);
    }
  }

  @Test
  void slotOfAStreamIsReleasedWhenTheClientCancels() {
    try (var limiter = limiter(Concurrency.of(1));
        var server = server(limiter)) {
      var stream = Context.current().withCancellation();
      stream.run(() -> server.client().watch(HealthServer.REQUEST).next());
      assertThat(refusal(server).getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      stream.cancel(null);
      Eventually.holds("the slot is free", PATIENT, () -> refusal(server) == null);
    }
  }

  @Test
  void denialForGoodHasNoRetryTime() {
    try (var limiter = limiter(new Deny());
        var server = server(limiter)) {
      var refusal = refusal(server);
      assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(StatusProto.fromThrowable(refusal).getDetailsList()).isEmpty();
      assertThat(refusal.getTrailers().get(DenialStatus.PUSHBACK)).isEqualTo("-1");
    }
  }

  @Test
  void queuedCallStartsAfterItsDelay() {
    try (var limiter = limiter(LeakyBucket.of(Rate.perSecond(20)).withQueue(10));
        var server = server(limiter)) {
      long start = System.nanoTime();
      for (int i = 0; i < 3; i++) server.client().check(HealthServer.REQUEST);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(90));
      assertThat(server.calls).hasValue(3);
    }
  }

  @Test
  void callThatCanNotBeDecidedIsUnavailable() {
    CallLimiter failed = request -> CompletableFuture.failedFuture(new IllegalStateException());
    CallLimiter throwing =
        request -> {
          throw new IllegalStateException();
        };
    for (var limiter : new CallLimiter[] {failed, throwing}) {
      try (var server = new HealthServer(LimitingServerInterceptor.of(limiter))) {
        assertThat(refusal(server).getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(server.calls).hasValue(0);
      }
    }
  }

  @Test
  void callWithoutASubjectIsNotLimitedAndOneThatFailsIsRefused() {
    CallLimiter closed =
        request ->
            CompletableFuture.completedFuture(
                new Admission(new Decision.Denied(PATIENT), Optional.empty(), Optional.empty()));
    CallSubject none = (method, headers, attributes) -> Optional.empty();
    CallSubject broken =
        (method, headers, attributes) -> {
          throw new IllegalStateException();
        };
    try (var server = new HealthServer(LimitingServerInterceptor.of(closed, none))) {
      assertThat(refusal(server)).isNull();
    }
    try (var server = new HealthServer(LimitingServerInterceptor.of(closed, broken))) {
      assertThat(refusal(server).getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
      assertThat(server.calls).hasValue(0);
    }
  }

  @Test
  void callCancelledBeforeItsDecisionReleasesItsSlotAndDoesNotStart() {
    var late = new CompletableFuture<Admission>();
    var arrived = new CompletableFuture<Void>();
    var released = new CompletableFuture<Void>();
    CallLimiter slow =
        request -> {
          arrived.complete(null);
          return late;
        };
    try (var server = new HealthServer(LimitingServerInterceptor.of(slow))) {
      var call = HealthGrpc.newFutureStub(server.channel()).check(HealthServer.REQUEST);
      assertThat(arrived).succeedsWithin(PATIENT);
      assertThat(call.cancel(true)).isTrue();
      // The delay gives the cancellation the time to arrive.
      late.complete(
          new Admission(
              new Decision.Delayed(Duration.ofSeconds(1), 1, Duration.ZERO),
              Optional.empty(),
              Optional.of(outcome -> released.complete(null))));
      assertThat(released).succeedsWithin(PATIENT);
      assertThat(server.calls).hasValue(0);
    }
  }

  @Test
  void serviceCanDecide() throws Exception {
    try (var service =
            new LimitService(
                Rule.named("per-method")
                    .match("method", "Check")
                    .limit(FixedWindow.of(Rate.perDay(3)))
                    .build(),
                Rule.named("streams").match("method", "Watch").limit(Concurrency.of(1)).build());
        var client =
            HeadgateClient.connect(
                ClientOptions.builder(service.url())
                    .deadline(PATIENT)
                    .failureMode(FailureMode.THROW)
                    .build());
        var server = new HealthServer(LimitingServerInterceptor.of(CallLimiter.of(client)))) {
      for (int i = 0; i < 3; i++) server.client().check(HealthServer.REQUEST);
      assertThat(retryInfo(refusal(server)).getRetryDelay().getSeconds()).isNotNegative();
      var stream = Context.current().withCancellation();
      stream.run(() -> server.client().watch(HealthServer.REQUEST).next());
      var watch = Subject.of("method", "Watch");
      assertThat(client.peek(watch).isAllowed()).isFalse();
      stream.cancel(null);
      Eventually.holds("the slot is free", PATIENT, () -> client.peek(watch).isAllowed());
    }
  }
}
