package io.headgate.internal.outage;

import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Store;

/** Creates plans of one rule with one limit and one counter per key. */
public final class TestPlans {
  /** A time long after the epoch, in microseconds. */
  public static final long START = 1_800_000_000_000_000L;

  public static RuleSet rules(Limit limit) {
    return RuleSet.of(Rule.named("rule").per("key").limit(limit).build());
  }

  public static Plan plan(Limit limit, String key) {
    return rules(limit).plan(Request.of(Subject.of(key)), 0, 0);
  }

  public static Charge charge(Limit limit, String key) {
    return plan(limit, key).charges().getFirst();
  }

  public static boolean passes(Store store, Plan plan) {
    return store.decide(plan).first() instanceof Passed;
  }

  private TestPlans() {}
}
