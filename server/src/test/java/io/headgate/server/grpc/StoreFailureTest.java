package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.rule.Rule;
import io.headgate.store.PlanResult;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that fails without a failure policy causes the equivalent error in both protocols. */
class StoreFailureTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final Rule USERS =
      Rule.named("users").match("user", "*").limit(FixedWindow.of(Rate.perDay(40))).build();

  /**
   * Fails every decision.
   *
   * @param async whether the failure is reported later, on a thread of the store
   */
  private record FailingStore(RuntimeException failure, boolean async) implements Store {
    @Override
    public CompletionStage<PlanResult> decideAsync(Plan plan) {
      if (!async) return CompletableFuture.failedFuture(failure);
      return CompletableFuture.supplyAsync(() -> decide(plan), Thread::startVirtualThread);
    }

    @Override
    public PlanResult decide(Plan plan) {
      throw failure;
    }

    @Override
    public PlanResult peek(Plan plan) {
      throw failure;
    }

    @Override
    public boolean renew(Charge charge) {
      throw failure;
    }

    @Override
    public boolean release(Charge charge) {
      throw failure;
    }

    @Override
    public void reset(Counter counter, String key) {
      throw failure;
    }

    @Override
    public long trackedKeys() {
      return 0;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void unavailableStoreIsReportedAsUnavailable(boolean async) throws Exception {
    var failure = new StoreException(StoreException.Kind.CONNECTION, "no connection", null);
    try (var service = GrpcService.over(new FailingStore(failure, async), DEADLINE, USERS)) {
      var status = grpc(service);
      assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(status.getDescription()).contains("the store is unavailable");
      var response = http(service);
      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(response.headers().firstValue("Retry-After")).contains("1");
      assertThat(response.body()).contains("the store is unavailable");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void internalErrorIsReportedWithTheIdOfItsLogLineOnly(boolean async) throws Exception {
    var failure = new IllegalStateException("secret");
    try (var service = GrpcService.over(new FailingStore(failure, async), DEADLINE, USERS)) {
      var status = grpc(service);
      assertThat(status.getCode()).isEqualTo(Status.Code.INTERNAL);
      assertThat(status.getDescription()).contains("under id ").doesNotContain("secret");
      var response = http(service);
      assertThat(response.statusCode()).isEqualTo(500);
      assertThat(response.body()).contains("under id ").doesNotContain("secret");
    }
  }

  private static Status grpc(GrpcService service) {
    return catchThrowableOfType(
            StatusRuntimeException.class, () -> service.envoy.ask("any", descriptor("user", "ada")))
        .getStatus();
  }

  private static HttpResponse<String> http(GrpcService service) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + service.port() + "/v1/check"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"subject\":{\"user\":\"ada\"}}"))
            .build();
    try (var client = HttpClient.newHttpClient()) {
      return client.send(request, BodyHandlers.ofString());
    }
  }
}
