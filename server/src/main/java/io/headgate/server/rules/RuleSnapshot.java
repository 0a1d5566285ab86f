package io.headgate.server.rules;

import io.headgate.rule.RuleSet;

/** The rules as of one revision. Immutable. */
public record RuleSnapshot(Revision revision, RuleSet rules) {
  /** Returns the number of the revision. */
  public long number() {
    return revision.number();
  }
}
