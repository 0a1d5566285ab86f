package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Plan;
import io.headgate.rule.Rule;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.StoreException;
import io.headgate.testkit.Eventually;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that each rate limit call which ends without a decision is counted once, by its reason. */
class UnansweredCallsTest {
  private static final String MEMORY = "headgate_budget_used{budget=\"request_memory_bytes\"}";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final byte[] CALL =
      EnvoyClient.request("any", descriptor("user", "ada")).toByteArray();

  /** A store without failure policies that replies when the test does. */
  private static final class ManualStore extends ForwardingStore {
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean direct;
    private volatile CompletableFuture<PlanResult> reply = new CompletableFuture<>();

    ManualStore() {
      super(MemoryStore.create());
    }

    @Override
    public CompletionStage<PlanResult> decideAsync(Plan plan) {
      asked.incrementAndGet();
      return direct ? super.decideAsync(plan) : reply.copy();
    }
  }

  private final ManualStore store = new ManualStore();
  private GrpcService service = serve(PATIENCE);

  private GrpcService serve(Duration deadline) {
    return GrpcService.over(
        store,
        deadline,
        Rule.named("users").match("user", "*").limit(FixedWindow.of(Rate.perDay(9))).build());
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private double count(String reason) {
    return GrpcMetricsTest.series(
        service.port(), "headgate_grpc_unanswered_total{reason=\"%s\"}".formatted(reason));
  }

  private void await(String reason, int calls) {
    Eventually.holds(calls + " calls: " + reason, PATIENCE, () -> count(reason) == calls);
  }

  private void awaitAsked(int calls) {
    Eventually.holds("the store is asked", PATIENCE, () -> store.asked.get() == calls);
  }

  @Test
  void callThatTheClientResetsIsCounted() throws IOException {
    try (var client = new RawHttp2(service.port())) {
      int stream = client.call(RawHttp2.RATE_LIMIT, CALL, false);
      awaitAsked(1);
      client.reset(stream);
      await("cancelled", 1);
      client.reset(client.post(RawHttp2.RATE_LIMIT, "application/grpc"));
      await("cancelled", 2);
    }
    assertThat(count("error") + count("deadline") + count("unavailable")).isZero();
  }

  /** It stays in memory until the store replies. */
  @Test
  void callThatIsResetWhileItWaitsKeepsItsMemory() throws IOException {
    try (var client = new RawHttp2(service.port())) {
      for (int i = 1; i <= 3; i++) {
        int stream = client.call(RawHttp2.RATE_LIMIT, CALL, false);
        awaitAsked(i);
        client.reset(stream);
      }
      await("cancelled", 3);
      assertThat(GrpcMetricsTest.series(service.port(), MEMORY)).isPositive();
      store.reply.cancel(false);
      Eventually.holds(
          "memory is given back",
          PATIENCE,
          () -> GrpcMetricsTest.series(service.port(), MEMORY) == 0);
    }
  }

  @Test
  void callsOfAConnectionThatIsClosedAreCounted() throws IOException {
    try (var client = new RawHttp2(service.port())) {
      for (int i = 0; i < 3; i++) client.call(RawHttp2.RATE_LIMIT, CALL, false);
      awaitAsked(3);
    }
    await("cancelled", 3);
  }

  @Test
  void callWithoutADecisionAtItsDeadlineIsCounted() throws IOException {
    service.close();
    service = serve(Duration.ofMillis(20));
    try (var client = new RawHttp2(service.port())) {
      client.next(RawHttp2.HEADERS, client.call(RawHttp2.RATE_LIMIT, CALL, false));
      await("deadline", 1);
    }
  }

  @Test
  void callsThatFailAreCounted() throws IOException {
    try (var client = new RawHttp2(service.port())) {
      int stream = client.call(RawHttp2.RATE_LIMIT, CALL, false);
      awaitAsked(1);
      store.reply.completeExceptionally(
          new StoreException(StoreException.Kind.CONNECTION, "no connection", null));
      client.next(RawHttp2.HEADERS, stream);
      await("unavailable", 1);
      store.reply = CompletableFuture.failedFuture(new IllegalStateException("broken"));
      client.next(RawHttp2.HEADERS, client.call(RawHttp2.RATE_LIMIT, CALL, false));
      await("error", 1);
      client.next(RawHttp2.HEADERS, client.call(RawHttp2.RATE_LIMIT, new byte[] {1}, false));
      await("rejected", 1);
      int compressed = client.post(RawHttp2.RATE_LIMIT, "application/grpc");
      client.data(compressed, new byte[] {1, 0, 0, 0, 0}, true);
      client.next(RawHttp2.HEADERS, compressed);
      await("rejected", 2);
    }
    assertThat(count("cancelled")).isZero();
  }

  /** A reset that crosses the reply: the call has a decision. */
  @Test
  void callsWithADecisionAreNotCounted() throws IOException {
    store.direct = true;
    try (var client = new RawHttp2(service.port())) {
      for (int i = 0; i < 10; i++) {
        int stream = client.call(RawHttp2.RATE_LIMIT, CALL, false);
        client.next(RawHttp2.DATA, stream);
        client.reset(stream);
      }
      client.ping();
      while (!client.next().isPong()) {}
    }
    assertThat(count("cancelled") + count("error") + count("rejected")).isZero();
  }
}
