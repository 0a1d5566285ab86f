package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Plan;
import io.headgate.rule.Rule;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.testkit.Eventually;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that the calls of one connection, as Envoy keeps it for days, give back what they took,
 * also if the store replies after the end of the request or of the stream.
 */
class LongConnectionTest {
  private static final String MEMORY = "headgate_budget_used{budget=\"request_memory_bytes\"}";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String PATH = RawHttp2.RATE_LIMIT;
  private static final byte[] CALL =
      EnvoyClient.request("any", descriptor("user", "ada")).toByteArray();

  /** A store whose replies arrive on other threads, or at once, in a random order. */
  private static final class ScatteredStore extends ForwardingStore {
    private final Random random;

    ScatteredStore(Random random) {
      super(MemoryStore.create());
      this.random = random;
    }

    @Override
    public CompletionStage<PlanResult> decideAsync(Plan plan) {
      int kind;
      synchronized (random) {
        kind = random.nextInt(3);
      }
      if (kind == 0) return super.decideAsync(plan);
      var reply = CompletableFuture.supplyAsync(() -> decide(plan), Thread::startVirtualThread);
      if (kind == 1) return reply;
      return reply.thenCompose(
          result -> CompletableFuture.supplyAsync(() -> result, Thread::startVirtualThread));
    }
  }

  private final Random random = new Random(29);
  private final GrpcService service =
      GrpcService.over(
          new ScatteredStore(random),
          PATIENCE,
          Rule.named("users")
              .match("user", "*")
              .limit(FixedWindow.of(Rate.perDay(1_000_000)))
              .build());

  @AfterEach
  void stop() {
    service.close();
  }

  private double memory() {
    return GrpcMetricsTest.series(service.port(), MEMORY);
  }

  private void awaitNoMemory() {
    Eventually.holds("all memory is given back", PATIENCE, () -> memory() == 0);
  }

  @Test
  void answeredCallsHoldNothing() {
    for (int i = 0; i < 200; i++) {
      assertThat(service.envoy.ask("any", descriptor("user", "ada")).getOverallCode())
          .isEqualTo(Code.OK);
    }
    awaitNoMemory();
  }

  @Test
  void callsThatEndInAnyWayHoldNothing() throws IOException {
    try (var client = new RawHttp2(service.port())) {
      for (int i = 0; i < 300; i++) oneCall(client);
      ping(client);
      awaitNoMemory();
      assertThat(GrpcMetricsTest.series(service.port(), "headgate_connections")).isPositive();
    }
  }

  private void oneCall(RawHttp2 client) throws IOException {
    boolean http = random.nextInt(4) == 0;
    switch (random.nextInt(5)) {
      case 0 -> client.call(PATH, CALL, true);
      case 1 -> client.reset(complete(client, http));
      case 2 -> {
        int stream = complete(client, http);
        ping(client);
        client.reset(stream);
      }
      case 3 -> {
        int stream = client.post(http ? "/v1/check" : PATH, mediaType(http));
        client.data(stream, new byte[] {0, 0}, false);
        if (random.nextBoolean()) ping(client);
        client.reset(stream);
      }
      default -> client.next(RawHttp2.HEADERS, complete(client, http));
    }
  }

  private static int complete(RawHttp2 client, boolean http) throws IOException {
    if (!http) return client.call(PATH, CALL, false);
    int stream = client.post("/v1/check", mediaType(true));
    client.data(stream, "{\"key\":\"user:1\"}".getBytes(StandardCharsets.US_ASCII), true);
    return stream;
  }

  private static String mediaType(boolean http) {
    return http ? "application/json" : "application/grpc";
  }

  private static void ping(RawHttp2 client) throws IOException {
    client.ping();
    while (!client.next().isPong()) {}
  }
}
