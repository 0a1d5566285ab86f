package io.headgate.rule;

import io.headgate.limit.Shed;
import io.headgate.limit.Stateless;
import java.util.List;

/**
 * Limits that replace those of a rule for some of its subjects.
 *
 * @param match the conditions under which the override applies, in addition to the rule's
 * @param limits at least one; {@link io.headgate.limit.Deny} and {@link
 *     io.headgate.limit.Unlimited} stand alone
 */
public record LimitOverride(Match match, List<RuleLimit> limits) {
  /** Throws {@link IllegalArgumentException} if there is no limit, or one that must stand alone. */
  public LimitOverride {
    limits = List.copyOf(limits);
    if (limits.isEmpty()) {
      throw new IllegalArgumentException(
          "an override must give the limit that replaces the rule's");
    }
    for (var limit : limits) {
      if (limit.limit() instanceof Shed) {
        throw new IllegalArgumentException(
            "an override can't shed load; give its subjects a rule of their own with shed");
      }
      if (limit.limit() instanceof Stateless && limits.size() > 1) {
        throw new IllegalArgumentException(
            "'%s' is the whole limit of an override; remove it or the other limits"
                .formatted(limit.limit().algorithm()));
      }
    }
  }
}
