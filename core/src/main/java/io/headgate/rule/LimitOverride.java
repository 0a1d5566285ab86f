package io.headgate.rule;

import java.util.List;

/** Other limits for some of those whom a rule matches. */
public record LimitOverride(Match match, List<RuleLimit> limits) {
  public LimitOverride {
    limits = List.copyOf(limits);
    if (limits.isEmpty()) {
      throw new IllegalArgumentException(
          "an override must give the limit that replaces the rule's");
    }
  }
}
