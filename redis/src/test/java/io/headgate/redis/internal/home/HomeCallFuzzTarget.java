package io.headgate.redis.internal.home;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.internal.script.ScriptConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Checks that a call of another region is rejected with nothing executed, or reaches Redis with
 * keys of counters only, and as a batch that Redis evaluates in bounded time. Replies are read or
 * rejected as malformed.
 */
public final class HomeCallFuzzTarget {
  private static final String PREFIX = "headgate:home:";
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Recorder REDIS = new Recorder();
  private static final HomeRelay RELAY = new HomeRelay(REDIS, PREFIX, LEASE, Duration.ofSeconds(1));

  /** Checks calls instead of executing them. */
  private static final class Recorder implements HomeRelay.Redis, ScriptConnection {
    int executed;

    @Override
    public ScriptConnection guarded() {
      return this;
    }

    @Override
    public ScriptConnection strict() {
      return this;
    }

    @Override
    public CompletionStage<?> heartbeat() {
      return done();
    }

    @Override
    public CompletionStage<List<byte[]>> report(byte[] instance, byte[] report) {
      assertThat(instance.length).isBetween(1, 256);
      assertThat(report.length).isLessThanOrEqualTo(32_768);
      executed++;
      return CompletableFuture.completedStage(List.of());
    }

    @Override
    public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
      executed++;
      var names = new ArrayList<String>();
      for (var key : keys) names.add(requireCounter(key));
      ScriptWalk.requireBounded(names, argument, LEASE.toNanos() / 1_000);
      return CompletableFuture.completedStage(argument);
    }

    private static String requireCounter(byte[] key) {
      var name = new String(key, StandardCharsets.UTF_8);
      assertThat(name).startsWith(PREFIX + "{").doesNotStartWith(PREFIX + "{*reservations}");
      return name.substring(PREFIX.length());
    }

    @Override
    public CompletionStage<Long> reset(byte[] key) {
      requireCounter(key);
      return done();
    }

    @Override
    public CompletionStage<Long> publishReturn(byte[] key) {
      requireCounter(key);
      return done();
    }

    private CompletionStage<Long> done() {
      executed++;
      return CompletableFuture.completedStage(1L);
    }

    @Override
    public CompletionStage<Long> size() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int hashSlot(String key) {
      return 0;
    }

    @Override
    public void close() {}
  }

  public static void fuzzerTestOneInput(byte[] input) {
    REDIS.executed = 0;
    try {
      var reply = RELAY.execute(input).toCompletableFuture().join();
      assertThat(reply).isNotEmpty();
      assertThat(REDIS.executed).isLessThanOrEqualTo(1);
    } catch (IllegalArgumentException e) {
      assertThat(REDIS.executed).isZero();
      assertThat(e.getMessage()).isNotBlank().hasSizeLessThan(1_000);
    }
    try {
      assertThat(HomeReply.read(input).stream().mapToLong(value -> value.length).sum())
          .isLessThan(input.length);
    } catch (io.headgate.store.StoreException e) {
      assertThat(e).hasMessageContaining("home");
    }
  }

  private HomeCallFuzzTarget() {}
}
