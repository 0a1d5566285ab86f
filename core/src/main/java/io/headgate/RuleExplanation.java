package io.headgate;

import io.headgate.rule.MatchExplanation;
import java.util.List;

/** Why a rule does or does not apply, and how its limits stand if it does. */
public record RuleExplanation(MatchExplanation explanation, List<LimitReport> limits) {
  public RuleExplanation {
    limits = List.copyOf(limits);
  }
}
