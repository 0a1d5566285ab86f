package io.headgate.redis;

import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.FailurePolicy.Allow;
import io.headgate.rule.FailurePolicy.AllowThenDeny;
import io.headgate.rule.FailurePolicy.Deny;
import io.headgate.rule.FailurePolicy.Local;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.util.List;

/** A rule for each failure policy, and two rules whose admissions are counted. */
final class OutageRules {
  static final String ALLOW = "allow";
  static final String DENY = "deny";
  static final String LOCAL = "local";
  static final String ALLOW_THEN_DENY = "allow-then-deny";

  /** Much lower than the traffic, so that the store denies most requests. */
  static final String SCARCE = "scarce";

  /** Higher than the traffic, and nothing expires within the hour: shows all charges. */
  static final String AMPLE = "ample";

  static final List<String> NAMES = List.of(ALLOW, DENY, LOCAL, ALLOW_THEN_DENY, SCARCE, AMPLE);

  static final int SCARCE_PER_SECOND = 50;
  static final long AMPLE_PER_HOUR = 50_000;
  static final int LOCAL_PER_SECOND = 60;
  static final Duration GRACE = Duration.ofMillis(500);

  private static final Limit WIDE = TokenBucket.of(Rate.perSecond(1_000_000));

  private OutageRules() {}

  static RuleSet all() {
    return RuleSet.of(
        rule(ALLOW, new Allow(), WIDE),
        rule(DENY, new Deny(), WIDE),
        rule(LOCAL, new Local(), TokenBucket.of(Rate.perSecond(LOCAL_PER_SECOND))),
        rule(ALLOW_THEN_DENY, new AllowThenDeny(GRACE), WIDE),
        rule(SCARCE, new Deny(), TokenBucket.of(Rate.perSecond(SCARCE_PER_SECOND))),
        rule(AMPLE, new Deny(), RollingWindow.of(Rate.perHour(AMPLE_PER_HOUR))));
  }

  private static Rule rule(String name, FailurePolicy policy, Limit limit) {
    return Rule.named(name).match("key", name + ":*").onStoreFailure(policy).limit(limit).build();
  }

  /** Returns the subject of a caller: one for all callers of the counted rules, else its own. */
  static String subject(String rule, int caller) {
    return switch (rule) {
      case SCARCE, AMPLE, LOCAL -> rule + ":all";
      default -> rule + ":" + caller;
    };
  }

  /** Returns the Redis key of the counter of a rule. */
  static String key(String rule) {
    return RedisOptions.DEFAULT_PREFIX + "{" + subject(rule, 0) + "}" + rule;
  }
}
