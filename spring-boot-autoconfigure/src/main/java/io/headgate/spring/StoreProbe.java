package io.headgate.spring;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;

/** Detects at the start whether a store is available. */
final class StoreProbe {
  private static final int ATTEMPTS = 3;

  /**
   * Makes a decision that charges a counter of its own.
   *
   * @throws StoreStartException if the store does not decide; the store is closed
   */
  static void requireAvailable(RedisStore store) {
    for (int i = 0; i < ATTEMPTS; i++) {
      if (store.decide(plan()).source() == Source.STORE) return;
    }
    String problem = store.lastProblem().orElse("no reply");
    String address = store.address().toString();
    store.close();
    throw new StoreStartException(
        "The store of Headgate, Redis at %s, is unavailable: %s".formatted(address, problem),
        "Start Redis or correct its address. Without headgate.require-store=true, the application"
            + " starts nevertheless, and each rule's on-store-failure policy decides.");
  }

  private static Plan plan() {
    var unlimited = TokenBucket.of(Rate.perSecond(1_000_000));
    var rules = RuleSet.of(Rule.named("headgate-start").match("key", "*").limit(unlimited).build());
    return rules.plan(Request.of(Subject.of("start")), 0, 0);
  }

  private StoreProbe() {}
}
