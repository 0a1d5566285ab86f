package io.headgate.redis.internal.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.internal.script.CounterKeys;
import io.headgate.internal.script.ScriptConnection;
import io.headgate.internal.script.ScriptExecutor;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RegionOptions;
import io.headgate.redis.RegionalStore;
import io.headgate.redis.internal.home.HomeCall.Operation;
import io.headgate.rule.Charge;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.StoreException;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends calls of another region to home with a real Redis, well-formed ones and others. */
class HomeRelayTest {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final long LEASE_MICROS = LEASE.toNanos() / 1_000;

  private static RedisServer redis;
  private static RegionalStore home;

  /** Records batches instead of sending them. */
  private static final class Recorder implements ScriptConnection {
    final List<HomeCall> calls = new ArrayList<>();

    @Override
    public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
      var names = new ArrayList<String>();
      for (var key : keys) names.add(new String(key, StandardCharsets.UTF_8));
      calls.add(new HomeCall(Operation.GUARDED, LEASE_MICROS, names, argument));
      return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Long> reset(byte[] key) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Long> publishReturn(byte[] key) {
      throw new UnsupportedOperationException();
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

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
    redis.call("SET", "headgate:home:ready", "new");
    home =
        RegionalStore.connect(
            new RegionOptions(
                "eu",
                RedisOptions.of(redis.uri()),
                RedisOptions.builder(redis.uri()).deadline(Duration.ofSeconds(5)).build(),
                LEASE));
    Eventually.holds("home is ready", Duration.ofSeconds(10), home::isHomeReady);
  }

  @AfterAll
  static void stop() {
    home.close();
    redis.close();
  }

  private static HomeCall hold(long lease, LongSupplier clock) {
    var recorder = new Recorder();
    var rules =
        RuleSet.of(
            Rule.named("r").match("user", "*").limit(TokenBucket.of(Rate.perMinute(100))).build());
    var counter = rules.counter("r", -1, "r").orElseThrow();
    try (var executor =
        ScriptExecutor.withClock(recorder, new CounterKeys(""), Duration.ofMillis(50), clock)) {
      var unused = executor.hold(new Charge(counter, "a", 1, 0), HoldRequest.Usage.NONE, 10, lease);
      return recorder.calls.getFirst();
    }
  }

  private static HomeCall hold() {
    return hold(LEASE_MICROS, ScriptExecutor.SERVER_CLOCK);
  }

  private static byte[] execute(HomeCall call) {
    return home.executeAtHome(call.bytes()).toCompletableFuture().join();
  }

  private static HomeCall withKey(HomeCall call, String key) {
    return new HomeCall(call.operation(), call.lease(), List.of(key), call.argument());
  }

  @Test
  void holdOfAnotherRegionIsStoredUnderTheKeysOfHome() {
    assertThat(HomeReply.read(execute(withKey(hold(), "{stored}r")))).hasSize(1);
    assertThat(redis.call("EXISTS", "headgate:home:{stored}r").toString()).contains("1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ready", "regions", "{*reservations}open", "", "x{a}r", "{a"})
  void keysOfNoCounterAreRefused(String key) {
    var call = withKey(hold(), key);
    assertThatThrownBy(() -> execute(call))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a key is of no counter");
    var reset = new HomeCall(Operation.RESET, LEASE_MICROS, List.of(key), new byte[0]);
    assertThatThrownBy(() -> execute(reset)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void batchWithATimeOfItsOwnIsRefused() {
    var call = hold(LEASE_MICROS, () -> 4_000_000_000_000_000L);
    assertThatThrownBy(() -> execute(call)).hasMessageContaining("a time of its own");
  }

  @Test
  void holdThatIsLongerThanHomeWaitsIsRefused() {
    var call = hold(LEASE_MICROS + 1, ScriptExecutor.SERVER_CLOCK);
    assertThatThrownBy(() -> execute(call)).hasMessageContaining("longer than home waits");
  }

  @Test
  void regionWithALongerLeaseIsRefusedAsAtARedis() {
    var call = hold();
    var longer = new HomeCall(call.operation(), LEASE_MICROS + 1, call.keys(), call.argument());
    assertThatThrownBy(() -> HomeReply.read(execute(longer)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("--region-lease");
  }

  @Test
  void damagedCallsAreRefusedOrAnswered() {
    var random = new Random(42);
    var valid = hold().bytes();
    int refused = 0;
    for (int i = 0; i < 2_000; i++) {
      var damaged = valid.clone();
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      if (random.nextInt(4) == 0) damaged = java.util.Arrays.copyOf(damaged, random.nextInt(99));
      try {
        assertThat(home.executeAtHome(damaged).toCompletableFuture().join()).isNotEmpty();
      } catch (IllegalArgumentException e) {
        refused++;
      }
    }
    assertThat(refused).isBetween(500, 1_999);
    assertThat(home.isHomeReady()).isTrue();
    assertThat(HomeReply.read(execute(hold()))).hasSize(1);
  }

  /** A script that fails has executed a part of the batch, and was not checked as it is read. */
  @Test
  void redisExecutesEveryDamagedCallThatIsAccepted() {
    var samples = SampleCalls.execute(home, LEASE_MICROS);
    assertThat(samples).hasSizeGreaterThan(60);
    var random = new Random(7);
    int accepted = 0;
    for (int i = 0; i < 6_000; i++) {
      var damaged = samples.get(i % samples.size()).clone();
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        int at = random.nextInt(damaged.length);
        damaged[at] = (byte) (random.nextBoolean() ? random.nextInt(12) : random.nextInt(256));
      }
      try {
        var reply = home.executeAtHome(damaged).toCompletableFuture().join();
        if (HomeReply.read(reply) != null) accepted++;
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageNotContaining("null");
      } catch (StoreException e) {
        assertThat(e.getMessage())
            .as(java.util.HexFormat.of().formatHex(damaged))
            .contains("lease");
      }
    }
    assertThat(accepted).isGreaterThan(500);
    assertThat(HomeReply.read(execute(hold()))).hasSize(1);
  }

  @Test
  void failuresKeepTheirKindAndWhetherTheyWereSent() {
    var sent = new StoreException(StoreException.Kind.TIMEOUT, "late", null);
    for (var failure : List.of(sent, sent.unsent())) {
      assertThatThrownBy(() -> HomeReply.read(HomeReply.of(failure)))
          .isInstanceOfSatisfying(
              StoreException.class,
              read -> {
                assertThat(read.kind()).isEqualTo(failure.kind());
                assertThat(read.isUnsent()).isEqualTo(failure.isUnsent());
                assertThat(read).hasMessageContaining("late");
              });
    }
  }
}
