package io.headgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.StatusProto;
import io.headgate.Decision;
import io.headgate.RateLimiter;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.testkit.ConcurrentRunner;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Limits the calls of a client to a real server. */
class LimitingClientInterceptorTest {
  private static final Duration PATIENT = Duration.ofSeconds(30);
  private static final HealthServer SERVER = new HealthServer();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static RateLimiter limiter(Limit limit) {
    return RateLimiter.inMemory(
        Rule.named("outgoing").match("method", "Check").limit(limit).build());
  }

  private static HealthGrpc.HealthBlockingStub client(CallLimiter limiter) {
    return SERVER.client(LimitingClientInterceptor.of(limiter));
  }

  private static StatusRuntimeException refusal(HealthGrpc.HealthBlockingStub client) {
    return catchThrowableOfType(
        StatusRuntimeException.class, () -> client.check(HealthServer.REQUEST));
  }

  @Test
  void deniedCallIsNotSent() throws Exception {
    try (var limiter = limiter(FixedWindow.of(Rate.perDay(30)))) {
      int before = SERVER.calls.get();
      var client = client(CallLimiter.of(limiter));
      long admitted =
          ConcurrentRunner.PLATFORM.sum(thread -> {
            long own = 0;
            for (int i = 0; i < 10; i++) own += refusal(client) == null ? 1 : 0;
            return own;
          });
      assertThat(admitted).isEqualTo(30);
      assertThat(SERVER.calls.get() - before).isEqualTo(30);
      var refusal = refusal(client);
      assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(StatusProto.fromThrowable(refusal).getDetailsCount()).isOne();
    }
  }

  @Test
  void slotIsReleasedWhenTheCallEnds() {
    try (var limiter = limiter(Concurrency.of(1))) {
      var client = client(CallLimiter.of(limiter));
      for (int i = 0; i < 10; i++) client.check(HealthServer.REQUEST);
      assertThatThrownBy(() -> client.check(HealthServer.BROKEN))
          .isInstanceOf(StatusRuntimeException.class);
      client.check(HealthServer.REQUEST);
    }
  }

  @Test
  void queuedCallIsSentAfterItsDelay() {
    try (var limiter = limiter(LeakyBucket.of(Rate.perSecond(20)).withQueue(10))) {
      var client = client(CallLimiter.of(limiter));
      long start = System.nanoTime();
      for (int i = 0; i < 3; i++) client.check(HealthServer.REQUEST);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(90));
    }
  }

  @Test
  void callThatCanNotBeDecidedIsUnavailable() {
    var client =
        client(request -> CompletableFuture.failedFuture(new IllegalStateException("no store")));
    assertThat(refusal(client).getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
  }

  @Test
  void callCancelledBeforeItsDecisionIsNotSent() {
    var late = new CompletableFuture<Admission>();
    var released = new CompletableFuture<Void>();
    int before = SERVER.calls.get();
    var call =
        HealthGrpc.newFutureStub(SERVER.channel())
            .withInterceptors(LimitingClientInterceptor.of(request -> late))
            .check(HealthServer.REQUEST);
    assertThat(call.cancel(true)).isTrue();
    late.complete(
        new Admission(
            new Decision.Allowed(1, Duration.ZERO),
            Optional.empty(),
            Optional.of(outcome -> released.complete(null))));
    assertThat(released).succeedsWithin(PATIENT);
    SERVER.client().check(HealthServer.REQUEST);
    assertThat(SERVER.calls).hasValue(before + 1);
  }
}
