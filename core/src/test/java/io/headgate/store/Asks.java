package io.headgate.store;

import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;

/** One rule, one limit, one counter per key. */
final class Asks {
  /** A moment long after the epoch. */
  static final long START = 1_800_000_000_000_000L;

  static RuleSet rules(Limit limit) {
    return RuleSet.of(Rule.named("rule").per("key").limit(limit).build());
  }

  static Plan plan(Limit limit, String key) {
    return rules(limit).plan(Request.of(Subject.of(key)), 0, 0);
  }

  static Charge charge(Limit limit, String key) {
    return plan(limit, key).charges().getFirst();
  }

  static boolean passes(Store store, Plan plan) {
    return store.decide(plan).first() instanceof Passed;
  }

  private Asks() {}
}
