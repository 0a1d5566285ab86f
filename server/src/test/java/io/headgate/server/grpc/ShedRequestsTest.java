package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static io.headgate.server.grpc.EnvoyClient.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.Shed;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Counter;
import io.headgate.rule.Rule;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.store.ForwardingStore;
import io.headgate.store.LoadReading;
import io.headgate.store.MemoryStore;
import io.headgate.store.SignalReport;
import io.headgate.store.SignalStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Tests that Envoy is told to refuse requests that are dropped. */
class ShedRequestsTest {
  private static final Rule SHED =
      Rule.named("overload")
          .match("domain", "shop")
          .per("domain")
          .limit(
              new Shed(
                  ShedPolicy.of(SignalKind.UTILIZATION, 0.8)
                      .withPriorities("priority", "critical", "bulk")))
          .build();
  private static final Rule LIMIT =
      Rule.named("calls").match("domain", "shop").limit(FixedWindow.of(Rate.perDay(10))).build();

  /** Drops half of the requests, which are all those of the lower of two priorities. */
  private static final SignalStore OVERLOADED =
      new SignalStore() {
        @Override
        public CompletionStage<LoadReading> report(SignalReport report) {
          return read(report.counter(), report.key());
        }

        @Override
        public CompletionStage<LoadReading> read(Counter counter, String key) {
          return CompletableFuture.completedFuture(new LoadReading(0.5, 1, 1, 1_000, 1_000, 7));
        }
      };

  @Test
  void droppedDescriptorIsOverLimitAndChargesNothing() {
    var store =
        new ForwardingStore(MemoryStore.create()) {
          @Override
          public Optional<SignalStore> signals() {
            return Optional.of(OVERLOADED);
          }
        };
    try (var service = GrpcService.over(store, ConnectionLimits.DEFAULT, SHED, LIMIT)) {
      var first = service.envoy.ask("shop", descriptor("priority", "critical"));
      assertThat(first.getOverallCode()).isEqualTo(Code.OK);
      service.limiter.signals().sync().join();
      var dropped = service.envoy.ask("shop", descriptor("priority", "bulk"));
      assertThat(dropped.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(dropped.getStatuses(0).getCurrentLimit().getName()).isEqualTo("overload");
      assertThat(dropped.getStatuses(0).getDurationUntilReset().getSeconds()).isBetween(0L, 61L);
      assertThat(headers(dropped)).containsKey("Retry-After");
      var passed = service.envoy.ask("shop", descriptor("priority", "critical"));
      assertThat(passed.getOverallCode()).isEqualTo(Code.OK);
      assertThat(passed.getStatuses(0).getLimitRemaining()).isEqualTo(8);
    }
  }
}
