package io.headgate;

import io.headgate.rule.Explanation;
import java.util.List;

/** Why a rule does or does not apply, and how its limits stand if it does. */
public record Explained(Explanation explanation, List<LimitReport> limits) {
  public Explained {
    limits = List.copyOf(limits);
  }
}
