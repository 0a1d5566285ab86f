package io.headgate.server.store;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;

/** Opens a Redis store whose outages are logged. */
public final class RedisStoreFactory {
  /** As many failures as open the circuit breaker. */
  private static final int ATTEMPTS = 3;

  /**
   * Opens a store; succeeds even if Redis is unavailable. The listener of the options is notified
   * of outages as well.
   *
   * <p>Makes one decision in advance, so that an unavailable Redis is logged at the start rather
   * than at the first request.
   */
  public static RedisStore open(RedisOptions options) {
    var log = new OutageLog("Redis at " + options.address());
    var store =
        RedisStore.connect(
            options.toBuilder()
                .outageListener(new CompositeListener(log, options.outageListener()))
                .build());
    if (canDecide(store)) log.reached();
    return store;
  }

  /** Returns the kind and the address of the store, without secrets. */
  public static String describe(RedisOptions options) {
    return "redis at " + options.address();
  }

  private static boolean canDecide(RedisStore store) {
    for (int i = 0; i < ATTEMPTS && !store.isUnavailable(); i++) {
      if (store.decide(plan()).source() == Source.STORE) return true;
    }
    return false;
  }

  private static Plan plan() {
    var unlimited = TokenBucket.of(Rate.perSecond(1_000_000));
    var rules = RuleSet.of(Rule.named("headgate-start").match("key", "*").limit(unlimited).build());
    return rules.plan(Request.of(Subject.of("start")), 0, 0);
  }

  private RedisStoreFactory() {}
}
