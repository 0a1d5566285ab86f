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

/** A rule of each policy, and two whose count is kept: what the store admits there is compared. */
final class OutageRules {
  static final String ALLOW = "allow";
  static final String DENY = "deny";
  static final String LOCAL = "local";
  static final String ALLOW_THEN_DENY = "allow-then-deny";

  /** Far less than is asked for; so the store has to deny most of it. */
  static final String SCARCE = "scarce";

  /** More than is asked for, and nothing comes back within the hour: shows what was charged. */
  static final String AMPLE = "ample";

  static final List<String> NAMES = List.of(ALLOW, DENY, LOCAL, ALLOW_THEN_DENY, SCARCE, AMPLE);

  static final int SCARCE_PER_SECOND = 50;
  static final long AMPLE_PER_HOUR = 50_000;
  static final int LOCAL_PER_SECOND = 60;
  static final Duration GRACE = Duration.ofMillis(500);

  private static final Limit WIDE = new TokenBucket(Rate.perSecond(1_000_000));

  private OutageRules() {}

  static RuleSet all() {
    return RuleSet.of(
        rule(ALLOW, new Allow(), WIDE),
        rule(DENY, new Deny(), WIDE),
        rule(LOCAL, new Local(), new TokenBucket(Rate.perSecond(LOCAL_PER_SECOND))),
        rule(ALLOW_THEN_DENY, new AllowThenDeny(GRACE), WIDE),
        rule(SCARCE, new Deny(), new TokenBucket(Rate.perSecond(SCARCE_PER_SECOND))),
        rule(AMPLE, new Deny(), RollingWindow.of(Rate.perHour(AMPLE_PER_HOUR))));
  }

  private static Rule rule(String name, FailurePolicy policy, Limit limit) {
    return Rule.named(name).match("key", name + ":*").onStoreFailure(policy).limit(limit).build();
  }

  /** Of the counted rules there is one subject, which everybody shares; else each has its own. */
  static String subject(String rule, int caller) {
    return switch (rule) {
      case SCARCE, AMPLE, LOCAL -> rule + ":all";
      default -> rule + ":" + caller;
    };
  }

  /** What the store keeps of it. */
  static String key(String rule) {
    return RedisOptions.DEFAULT_PREFIX + "{" + subject(rule, 0) + "}" + rule;
  }
}
