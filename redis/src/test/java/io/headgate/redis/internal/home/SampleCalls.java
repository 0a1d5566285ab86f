package io.headgate.redis.internal.home;

import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.internal.script.CounterKeys;
import io.headgate.internal.script.ScriptConnection;
import io.headgate.internal.script.ScriptExecutor;
import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.redis.RegionalStore;
import io.headgate.redis.internal.home.HomeCall.Operation;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Calls of every kind, as an instance of another region sends them. */
final class SampleCalls {
  private static final Rate RATE = Rate.of(20, Duration.ofMinutes(1));

  /** A limit of each algorithm and form. */
  private static final Map<String, Limit> LIMITS = new LinkedHashMap<>();

  static {
    LIMITS.put("bucket", TokenBucket.of(RATE));
    LIMITS.put("burst", new TokenBucket(Rate.of(7, Duration.ofSeconds(3)), 50));
    LIMITS.put("leaky", LeakyBucket.of(RATE));
    LIMITS.put("queue", LeakyBucket.of(RATE).withQueue(5));
    LIMITS.put("wait", LeakyBucket.of(RATE).withMaxWait(Duration.ofMillis(12_345)));
    LIMITS.put("fixed", FixedWindow.of(RATE));
    LIMITS.put(
        "calendar",
        new FixedWindow(9, new Window.Calendar(Window.Unit.MONTH, ZoneId.of("Europe/Paris"))));
    LIMITS.put("sliding", SlidingWindow.of(RATE));
    LIMITS.put("rolling", RollingWindow.of(RATE));
    LIMITS.put("slots", new Concurrency(5, Duration.ofSeconds(30)));
    LIMITS.put("adaptive", new AdaptiveConcurrency(1, 20, 5, Duration.ofSeconds(30)));
    LIMITS.put("fair", new FairShare(TokenBucket.of(RATE), FairSharing.among("tenant")));
  }

  private static RuleSet rules() {
    var rules = new ArrayList<Rule>();
    LIMITS.forEach(
        (name, limit) -> rules.add(Rule.named(name).match(name, "*").limit(limit).build()));
    rules.add(
        Rule.named("several")
            .match("several", "*")
            .combine(new Combine.Weighted(500))
            .limit(RuleLimit.of("one", LIMITS.get("bucket")))
            .limit(RuleLimit.of("two", LIMITS.get("sliding")))
            .build());
    return RuleSet.of(rules);
  }

  /** Sends calls to home in this process, and keeps them. */
  private static final class Relayed implements ScriptConnection {
    final RegionalStore home;
    final long lease;
    final List<byte[]> calls = new ArrayList<>();

    Relayed(RegionalStore home, long lease) {
      this.home = home;
      this.lease = lease;
    }

    private CompletionStage<List<byte[]>> call(
        Operation operation, List<String> keys, byte[] argument) {
      var call = new HomeCall(operation, lease, keys, argument).bytes();
      synchronized (calls) {
        calls.add(call);
      }
      try {
        return home.executeAtHome(call).thenApply(HomeReply::read);
      } catch (IllegalArgumentException e) {
        return CompletableFuture.failedStage(e);
      }
    }

    @Override
    public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
      var names = new ArrayList<String>();
      for (var key : keys) names.add(new String(key, StandardCharsets.UTF_8));
      return call(Operation.STRICT, names, argument).thenApply(List::getFirst);
    }

    @Override
    public CompletionStage<Long> reset(byte[] key) {
      return one(Operation.RESET, key);
    }

    @Override
    public CompletionStage<Long> publishReturn(byte[] key) {
      return one(Operation.RETURNED, key);
    }

    private CompletionStage<Long> one(Operation operation, byte[] key) {
      var name = new String(key, StandardCharsets.UTF_8);
      return call(operation, List.of(name), new byte[0]).thenApply(done -> 1L);
    }

    @Override
    public CompletionStage<Long> size() {
      return CompletableFuture.completedStage(0L);
    }

    @Override
    public int hashSlot(String key) {
      return 0;
    }

    @Override
    public boolean keepsReservations() {
      return true;
    }

    @Override
    public CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments) {
      return CompletableFuture.completedStage(List.of(0L));
    }

    @Override
    public void close() {}
  }

  /**
   * Executes every operation of a store at a home, and returns the calls.
   *
   * @param lease the longest lease, in microseconds
   */
  static List<byte[]> execute(RegionalStore home, long lease) {
    var relayed = new Relayed(home, lease);
    var executor =
        ScriptExecutor.withClock(
            relayed, new CounterKeys(""), Duration.ofSeconds(5), ScriptExecutor.SERVER_CLOCK);
    var rules = rules();
    try (var limiter = RateLimiter.with(executor, rules)) {
      var all = Subject.of("tenant", "a");
      for (var name : LIMITS.keySet()) {
        var subject = Subject.of(name, "a").with("tenant", "t");
        all = all.with(name, "all");
        require(limiter.check(subject).isAllowed(), name);
        limiter.peek(Request.of(subject));
        var reserved = limiter.reserve(Request.of(subject, 2), Duration.ofMinutes(1));
        if (reserved.isAllowed()) {
          reserved.update(Costs.plain(1), Costs.plain(1));
          reserved.settle(Costs.plain(1));
        }
        if (limiter.rules().rule(name).isPresent()) limiter.reset(subject, name);
      }
      var reserved =
          limiter.reserve(Request.of(all.with("several", "x"), 1), Duration.ofMinutes(1));
      require(reserved.isAllowed(), "all");
      reserved.cancel();
      limiter.charge(Request.of(Subject.of("bucket", "a").with("fixed", "a"), 3));
      for (var name : List.of("bucket", "fixed", "sliding")) hold(executor, rules, name, lease);
      for (var name : List.of("slots", "adaptive")) slot(executor, rules, name);
    }
    synchronized (relayed.calls) {
      var calls = new ArrayList<>(relayed.calls);
      calls.add(new HomeCall(Operation.HEARTBEAT, lease, List.of(), new byte[0]).bytes());
      calls.add(
          new HomeCall(
                  Operation.REPORT, lease, List.of("1a2b"), "{}".getBytes(StandardCharsets.UTF_8))
              .bytes());
      return calls;
    }
  }

  private static void hold(ScriptExecutor executor, RuleSet rules, String name, long lease) {
    var charge = new Charge(rules.counter(name, -1, name).orElseThrow(), "held", 1, 0);
    executor.hold(charge, Usage.NONE, 5, lease).toCompletableFuture().join();
    executor.report(charge).toCompletableFuture().join();
  }

  private static void slot(ScriptExecutor executor, RuleSet rules, String name) {
    var slot = new Charge(rules.counter(name, -1, name).orElseThrow(), "a", 1, -5);
    executor.renew(slot);
    executor.release(slot);
    executor.release(slot, new CompletedCall(CallOutcome.ERROR, 1_234));
  }

  private static void require(boolean condition, String what) {
    if (!condition) throw new AssertionError(what + " is denied");
  }

  private SampleCalls() {}
}
