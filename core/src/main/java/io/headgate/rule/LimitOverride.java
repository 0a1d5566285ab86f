package io.headgate.rule;

import java.util.List;

/**
 * Limits that replace those of a rule for some of its subjects.
 *
 * @param match the conditions under which the override applies, in addition to the rule's
 * @param limits at least one
 */
public record LimitOverride(Match match, List<RuleLimit> limits) {
  /** Throws {@link IllegalArgumentException} if there is no limit. */
  public LimitOverride {
    limits = List.copyOf(limits);
    if (limits.isEmpty()) {
      throw new IllegalArgumentException(
          "an override must give the limit that replaces the rule's");
    }
  }
}
