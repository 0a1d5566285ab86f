package io.headgate.benchmarks;

import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Measures a complete check of one hot key, with its state in this JVM or in Redis. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ConsistencyBenchmark {
  /** The store and consistency mode. */
  public enum StoreMode {
    MEMORY("in memory, one JVM"),
    LEASED("leased"),
    EVENTUAL("eventual"),
    STRICT("strict: a Redis command per check");

    final String title;

    StoreMode(String title) {
      this.title = title;
    }
  }

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  @Param({"MEMORY", "LEASED", "EVENTUAL", "STRICT"})
  StoreMode mode = StoreMode.MEMORY;

  private @Nullable RedisServer server;
  private RateLimiter limiter;
  private final Subject subject = Subject.of("user:42");

  @Setup
  public void setUp() {
    // A rate high enough that no request is ever denied.
    var rule =
        Rule.named("per-user")
            .match("key", "user:*")
            .limit(TokenBucket.of(Rate.perSecond(1_000_000_000)));
    if (mode == StoreMode.MEMORY) {
      limiter = RateLimiter.with(MemoryStore.create(), RuleSet.of(rule.build()));
      return;
    }
    var started = RedisServer.start();
    server = started;
    var options = RedisOptions.builder(started.uri()).deadline(TIMEOUT).build();
    limiter =
        RateLimiter.with(
            RedisStore.connect(options),
            RuleSet.of(rule.consistency(Consistency.valueOf(mode.name())).build()));
    var expected =
        switch (mode) {
          case MEMORY, STRICT -> Source.STORE;
          case LEASED -> Source.LEASE;
          case EVENTUAL -> Source.CACHE;
        };
    Eventually.holds(
        "decisions are " + mode,
        TIMEOUT,
        () -> limiter.checkForResult(subject).source() == expected);
  }

  @TearDown
  public void tearDown() {
    limiter.close();
    if (server != null) server.close();
  }

  @Benchmark
  public boolean check() {
    return limiter.check(subject).isAllowed();
  }
}
