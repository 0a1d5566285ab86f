package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Tuning;
import io.headgate.load.SignalKind;
import io.headgate.rule.Consistency;
import io.headgate.rule.Counter;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.LoadReading;
import io.headgate.store.SignalReport;
import io.headgate.store.SignalStore;
import io.headgate.store.Ticker;
import io.headgate.testkit.redis.RedisServer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that a tuned rate is enforced in every consistency mode. */
class TunedRateModesTest {
  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** A backend whose level is set by the test. */
  private static final class SetLevel implements SignalStore {
    private volatile double drop;

    @Override
    public CompletionStage<LoadReading> report(SignalReport report) {
      return read(report.counter(), report.key());
    }

    @Override
    public CompletionStage<LoadReading> read(Counter counter, String key) {
      return CompletableFuture.completedFuture(new LoadReading(drop, 1, 1, 1_000, 1_000, 7));
    }
  }

  @ParameterizedTest
  @EnumSource(Consistency.class)
  void loweredRateAppliesFromTheNextExchange(Consistency consistency) {
    var signals = new SetLevel();
    var id = "tuned-" + consistency.name();
    var bucket = TokenBucket.of(Rate.perDay(1_000));
    var tuning =
        new Tuning(
            Rate.perDay(100), Rate.perDay(1_000), SignalKind.UTILIZATION, 0.8, Optional.empty());
    var rule =
        Rule.named(id)
            .match("backend", "*")
            .limit(RuleLimit.of(id, bucket).withTuning(tuning))
            .consistency(consistency)
            .build();
    var store =
        new ForwardingStore(RedisStore.connect(server.uri())) {
          @Override
          public Optional<SignalStore> signals() {
            return Optional.of(signals);
          }
        };
    try (var limiter = RateLimiter.with(store, RuleSet.of(rule), Ticker.system())) {
      var used = Subject.of("backend", "used");
      for (int i = 0; i < 10; i++) assertThat(limiter.check(used).isAllowed()).isTrue();
      signals.drop = 0.8; // a fifth of the upper bound: 200 a day, and at once
      limiter.check(Subject.of("backend", "fresh"));
      limiter.signals().sync().join();
      int passed = 1;
      for (int i = 0; i < 500; i++) {
        if (limiter.check(Subject.of("backend", "fresh")).isAllowed()) passed++;
      }
      assertThat(passed).isBetween(195, 203);
      assertThat(limiter.peek(used).limit().orElseThrow().limit()).isBetween(195L, 205L);
    }
  }
}
