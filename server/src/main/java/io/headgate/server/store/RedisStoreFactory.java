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

/** Opens a store in Redis, and sees to it that the log says how it is. */
public final class RedisStoreFactory {
  /** As many failures as it takes for a store to be given up. */
  private static final int TRIES = 3;

  /**
   * Returns whether Redis is there or not; the options' own listener hears of it too. One decision
   * is made in advance: without it, nobody would hear before the first caller that Redis is away.
   */
  public static RedisStore open(RedisOptions options) {
    var log = new OutageLog("Redis at " + options.address());
    var store =
        RedisStore.connect(options.withListener(new CompositeListener(log, options.listener())));
    if (decides(store)) log.reached();
    return store;
  }

  /** The kind and the place, without secrets. */
  public static String describe(RedisOptions options) {
    return "redis at " + options.address();
  }

  private static boolean decides(RedisStore store) {
    for (int i = 0; i < TRIES && !store.isUnavailable(); i++) {
      if (store.decide(plan()).source() == Source.STORE) return true;
    }
    return false;
  }

  private static Plan plan() {
    var often = new TokenBucket(Rate.perSecond(1_000_000));
    var rules = RuleSet.of(Rule.named("headgate-start").match("key", "*").limit(often).build());
    return rules.plan(Request.of(Subject.of("start")), 0, 0);
  }

  private RedisStoreFactory() {}
}
