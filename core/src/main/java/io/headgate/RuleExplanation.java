package io.headgate;

import io.headgate.rule.MatchExplanation;
import java.util.List;

/**
 * Explains why a rule does or does not apply to a subject.
 *
 * @param explanation the conditions of the rule and whether the subject meets them
 * @param limits the state of the rule's limits; empty if the rule does not apply. While the store
 *     is unavailable, the state may be {@linkplain LimitReport#isKnown unknown}
 */
public record RuleExplanation(MatchExplanation explanation, List<LimitReport> limits) {
  /** Copies the list. */
  public RuleExplanation {
    limits = List.copyOf(limits);
  }
}
