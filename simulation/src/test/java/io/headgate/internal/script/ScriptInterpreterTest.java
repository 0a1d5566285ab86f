package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Holdable;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.internal.connection.InstanceCounts;
import io.headgate.redis.internal.connection.LettuceClients;
import io.headgate.redis.internal.connection.RedisConnection;
import io.headgate.rule.Combine;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Compares the replies of the simulated script with those of the script in a real Redis. */
class ScriptInterpreterTest {
  private final ManualTicker clock = ManualTicker.create();
  private final Random random = new Random(20_261_116);
  private final List<RuleSet> ruleSets =
      List.of(rules(40), rules(40), rules(25)); // the limits change now and then

  private static RuleSet rules(long permits) {
    var rate = Rate.of(permits, Duration.ofSeconds(5));
    return RuleSet.of(
        rule("token", TokenBucket.of(rate)).build(),
        rule("fixed", FixedWindow.of(rate)).build(),
        rule("sliding", SlidingWindow.of(rate)).build(),
        rule("leaky", LeakyBucket.of(rate).withQueue(permits)).build(),
        rule("rolling", RollingWindow.of(rate)).build(),
        rule("slots", Concurrency.of(permits / 5).withLease(Duration.ofSeconds(2))).build(),
        rule("adaptive", new AdaptiveConcurrency(2, permits / 5, 4, Duration.ofSeconds(2))).build(),
        rule("fair", fair(rate)).build(),
        Rule.named("several")
            .match("kind", "several")
            .match("key", "*")
            .limit(RuleLimit.of("a", TokenBucket.of(rate)).withWeight(3))
            .limit(RuleLimit.of("b", FixedWindow.of(Rate.of(permits / 2, rate.period()))))
            .combine(permits > 30 ? new Combine.Weighted(600) : new Combine.Any())
            .build(),
        Rule.named("both").match("kind", "several").match("key", "*").limit(fair(rate)).build(),
        Rule.named("shadow")
            .match("kind", "several")
            .match("key", "*")
            .limit(TokenBucket.of(Rate.of(permits / 3, rate.period())))
            .mode(Mode.SHADOW)
            .build(),
        Rule.named("all")
            .match("kind", "several")
            .match("key", "*")
            .limit(SlidingWindow.of(rate))
            .build());
  }

  private static FairShare fair(Rate rate) {
    return new FairShare(TokenBucket.of(rate), FairSharing.among("tenant").withWeight("t1", 3));
  }

  private static Rule.Builder rule(String kind, Limit limit) {
    return Rule.named(kind).match("kind", kind).match("key", "*").limit(limit);
  }

  @Test
  void repliesEqualThoseOfRedis() {
    try (var server = RedisServer.start()) {
      var clients = new LettuceClients(RedisOptions.of(server.uri()));
      var link = clients.connect();
      var keys = new CounterKeys("simulated:");
      var deadline = Duration.ofSeconds(30);
      var simulatedServer = new OneServer();
      try (var real = ScriptExecutor.withClock(link, keys, deadline, clock::micros, clock, 1);
          var simulated =
              ScriptExecutor.withClock(simulatedServer, keys, deadline, clock::micros, clock, 1)) {
        for (int i = 0; i < 2_000; i++) step(real, simulated, i);
      } finally {
        clients.close();
      }
    }
  }

  private void step(ScriptExecutor real, ScriptExecutor simulated, int step) {
    clock.sleep(random.nextInt(random.nextInt(20) == 0 ? 3_000_000 : 100_000));
    var kinds =
        List.of(
            "token",
            "fixed",
            "sliding",
            "leaky",
            "rolling",
            "slots",
            "adaptive",
            "fair",
            "several",
            "several");
    var kind = kinds.get(random.nextInt(kinds.size()));
    long cost = random.nextInt(5) == 0 ? random.nextInt(12) : 1;
    var tenant = "t" + random.nextInt(4);
    var subject =
        Subject.of(Map.of("kind", kind, "key", "k" + random.nextInt(2), "tenant", tenant));
    var rules = ruleSets.get(random.nextInt(ruleSets.size()));
    var plan = rules.plan(Request.of(subject, cost), 0, 1 + random.nextInt(20));
    var charge = plan.charges().getFirst();
    boolean single = plan.charges().size() == 1;
    String what = "step " + step + ", " + kind + " at cost " + cost;
    switch (random.nextInt(6)) {
      case 0 -> {
        if (!single || !(charge.limit() instanceof Holdable)) break;
        long held = random.nextInt(12);
        long until = random.nextInt(3) == 0 ? clock.micros() + 500_000 : 0;
        var spent = new HoldRequest.Usage(random.nextInt((int) held + 1), held, until);
        long want = random.nextInt(12);
        var expected = real.hold(charge, spent, want, 2_000_000).toCompletableFuture().join();
        var actual = simulated.hold(charge, spent, want, 2_000_000).toCompletableFuture().join();
        assertThat(actual).as(what).isEqualTo(expected);
      }
      case 1 -> {
        if (!single || !(charge.limit() instanceof Holdable)) break;
        var expected = real.report(charge).toCompletableFuture().join();
        assertThat(simulated.report(charge).toCompletableFuture().join())
            .as(what)
            .isEqualTo(expected);
      }
      case 2 -> {
        if (!(charge.limit() instanceof SlotLimit)) break;
        if (random.nextInt(3) > 0) {
          var outcomes = CallOutcome.values();
          var call =
              new CompletedCall(
                  outcomes[random.nextInt(outcomes.length)], random.nextInt(3_000_000));
          assertThat(simulated.release(charge, call))
              .as(what)
              .isEqualTo(real.release(charge, call));
          break;
        }
        boolean renew = random.nextBoolean();
        boolean expected = renew ? real.renew(charge) : real.release(charge);
        boolean actual = renew ? simulated.renew(charge) : simulated.release(charge);
        assertThat(actual).as(what).isEqualTo(expected);
      }
      case 3 ->
          compare(what + ", peek", real.peek(plan).outcomes(), simulated.peek(plan).outcomes());
      default -> decide(what, plan, real, simulated);
    }
  }

  private static void decide(
      String what, Plan plan, ScriptExecutor real, ScriptExecutor simulated) {
    compare(what, real.decide(plan).outcomes(), simulated.decide(plan).outcomes());
  }

  private static void compare(String what, List<?> expected, List<?> actual) {
    assertThat(actual).as(what).isEqualTo(expected);
  }

  /** A connection to one simulated server that replies immediately. */
  private static final class OneServer implements RedisConnection, ScriptInterpreter.Memory {
    private final ScriptInterpreter script = new ScriptInterpreter(LimitFormat.NUMBERS);
    private final Map<String, State> states = new HashMap<>();

    @Override
    public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
      return CompletableFuture.completedStage(script.run(keys, argument, -1, this));
    }

    @Override
    public State get(String key) {
      return states.getOrDefault(key, State.FRESH);
    }

    @Override
    public void put(String key, State state) {
      states.put(key, state);
    }

    @Override
    public void charged(String key, long cost) {}

    @Override
    public void settled(String key, long spent) {}

    @Override
    public void noted(Supplier<String> operation) {}

    @Override
    public int hashSlot(String key) {
      return 0;
    }

    @Override
    public CompletionStage<byte[]> signal(byte[] key, byte[]... arguments) {
      throw new UnsupportedOperationException("only batches are sent");
    }

    @Override
    public CompletionStage<InstanceCounts> heartbeat(byte[] key, byte[] instance, byte[] millis) {
      throw new UnsupportedOperationException("only batches are sent");
    }

    @Override
    public CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments) {
      throw new UnsupportedOperationException("no test reserves");
    }

    @Override
    public CompletionStage<Long> reset(byte[] key) {
      throw new UnsupportedOperationException("only batches are sent");
    }

    @Override
    public CompletionStage<Long> publishReturn(byte[] key) {
      throw new UnsupportedOperationException("only batches are sent");
    }

    @Override
    public CompletionStage<?> put(byte[] key, byte[] value, long millis) {
      throw new UnsupportedOperationException("only batches are sent");
    }

    @Override
    public CompletionStage<java.util.Optional<byte[]>> get(byte[] key) {
      throw new UnsupportedOperationException("only batches are sent");
    }

    @Override
    public CompletionStage<Long> publish(byte[] channel, byte[] message) {
      throw new UnsupportedOperationException("only batches are sent");
    }

    @Override
    public CompletionStage<Long> size() {
      throw new UnsupportedOperationException("only batches are sent");
    }

    @Override
    public void close() {}
  }
}
