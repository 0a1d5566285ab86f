package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.internal.script.TestServer;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Charge;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FaultProxy;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests admitted during an outage are charged to Redis once. */
class FallbackAdmissionsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int PERMITS = 50;
  private static final int ADMITTED = 10;
  private static final String TRIGGER = "trigger";

  private static Map<String, Limit> limits() {
    var rate = Rate.perDay(PERMITS);
    var limits = new LinkedHashMap<String, Limit>();
    limits.put("bucket", TokenBucket.of(rate));
    limits.put("queue", LeakyBucket.of(rate).withQueue(PERMITS - 1));
    limits.put("fixed", FixedWindow.of(rate));
    limits.put("sliding", SlidingWindow.of(rate));
    limits.put("rolling", RollingWindow.of(rate));
    return limits;
  }

  private static RuleSet rules() {
    var rules = new ArrayList<Rule>();
    limits().forEach((name, limit) -> rules.add(rule(name, limit)));
    rules.add(rule(TRIGGER, TokenBucket.of(Rate.perSecond(1_000_000))));
    return RuleSet.of(rules);
  }

  /** Returns a rule with the default policy, which enforces a share of the limit locally. */
  private static Rule rule(String name, Limit limit) {
    return Rule.named(name).match("key", name).limit(limit).build();
  }

  @Test
  void fallbackAdmissionsAreChargedOnceAfterRecovery() {
    try (var server = RedisServer.start();
        var proxy = FaultProxy.to(server.port());
        var store = RedisStore.connect("redis://127.0.0.1:" + proxy.port())) {
      var limiter = RateLimiter.with(store, rules());
      awaitSource(limiter, Source.STORE);
      for (int outage = 1; outage <= 2; outage++) {
        proxy.refuse();
        awaitSource(limiter, Source.FALLBACK);
        Eventually.holds("the circuit breaker is open", TIMEOUT, store::isUnavailable);
        for (var name : limits().keySet()) {
          for (int i = 0; i < ADMITTED; i++) {
            var result = limiter.checkForResult(Subject.of(name));
            assertThat(result.source()).isEqualTo(Source.FALLBACK);
            assertThat(result.isAllowed()).as(name).isTrue();
          }
        }
        proxy.pass();
        awaitSource(limiter, Source.STORE);
        long left = PERMITS - (long) outage * ADMITTED;
        for (var name : limits().keySet()) {
          Eventually.holds(
              "%s has %d left".formatted(name, left),
              TIMEOUT,
              () -> remaining(limiter, name) == left);
        }
      }
    }
  }

  /** A limit that cannot exceed its capacity is charged completely, so it admits no more. */
  @Test
  void excessAdmissionsAreChargedUpToCapacity() {
    try (var server = TestServer.start();
        var executor = server.executor("late:")) {
      limits()
          .forEach((name, limit) -> {
            var plan = RuleSet.of(rule(name, limit)).plan(Request.of(Subject.of(name), 30), 0, 1);
            executor.decide(plan);
            var charge = plan.charges().getFirst();
            var late = new Charge(charge.counter(), charge.key(), 40, 1);
            assertThat(executor.chargeSpent(late)).succeedsWithin(TIMEOUT);
            assertThat(executor.peek(plan).first().remaining()).as(name).isZero();
          });
    }
  }

  private static void awaitSource(RateLimiter limiter, Source source) {
    Eventually.holds(
        "the source of decisions is " + source,
        TIMEOUT,
        () -> limiter.checkForResult(Subject.of(TRIGGER)).source() == source);
  }

  private static long remaining(RateLimiter limiter, String name) {
    var result = limiter.peek(Request.of(Subject.of(name), 0));
    return result.source() == Source.STORE ? result.limits().getFirst().remaining() : -1;
  }
}
