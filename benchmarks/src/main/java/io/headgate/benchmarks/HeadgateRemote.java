package io.headgate.benchmarks;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** Headgate as a library: from a subject through one rule to a result. */
public record HeadgateRemote(RateLimiter limiter, List<Request> requests) implements Remote {
  /** Longer than the default of 50 ms, since a busy machine may pause for longer. */
  public static final Duration DEADLINE = Duration.ofSeconds(5);

  static Remote open(String uri, String name, Quota quota, int keys) {
    return open(uri, name, List.of(quota.headgate()), keys, 1);
  }

  /** Opens a limiter whose denials, of more than one permit, are not cached. */
  static Remote exhaustedByTwos(String uri, String name, int keys) {
    return open(uri, name, List.of(TokenBucket.of(Rate.perDay(2)).withBurst(3)), keys, 2);
  }

  static Remote open(String uri, String name, List<Limit> limits, int keys, long cost) {
    return open(RedisOptions.builder(uri), name, limits, keys, cost);
  }

  /** Opens a limiter of an algorithm, whose requests cost one permit. */
  static Remote open(String uri, String name, RemoteAlgorithm algorithm, Duration span, int keys) {
    var options = RedisOptions.builder(uri).layout(algorithm.layout());
    return open(options, name, algorithm.limits(span), keys, 1);
  }

  private static Remote open(
      RedisOptions.Builder options, String name, List<Limit> limits, int keys, long cost) {
    return open(RedisStore.connect(options.deadline(DEADLINE).build()), name, limits, keys, cost);
  }

  /**
   * Opens a limiter whose states are in a store, which it closes.
   *
   * @param others further rules, for requests other than those of this limiter
   */
  public static Remote open(
      Store store, String name, List<Limit> limits, int keys, long cost, Rule... others) {
    var rule = Rule.named(name).match("key", "user:*");
    for (var limit : limits) rule.limit(RuleLimit.of(limit.algorithm().id(), limit));
    try {
      var rules = new ArrayList<>(List.of(others));
      rules.add(rule.build());
      var limiter = RateLimiter.with(store, RuleSet.of(rules));
      var first = Request.of(Subject.of("user:first"));
      Eventually.holds(
          "Headgate has a connection",
          DEADLINE,
          () -> limiter.checkForResult(first).source() == Source.STORE);
      var requests =
          IntStream.range(0, keys).mapToObj(i -> Request.of(Subject.of("user:" + i), cost));
      return new HeadgateRemote(limiter, requests.toList());
    } catch (RuntimeException | Error e) {
      store.close();
      throw e;
    }
  }

  @Override
  public CompletionStage<Boolean> check(int key) {
    return limiter.checkForResultAsync(requests.get(key)).thenApply(HeadgateRemote::isAllowed);
  }

  private static boolean isAllowed(CheckResult result) {
    if (result.source() == Source.FALLBACK) {
      throw new IllegalStateException("the store was unavailable during the measurement");
    }
    return result.isAllowed();
  }

  @Override
  public void close() {
    limiter.close();
  }
}
