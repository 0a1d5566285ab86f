package io.headgate.server.rules;

import io.headgate.rule.RuleSet;

/** The rules as one revision left them. */
public record RuleSnapshot(Revision revision, RuleSet rules) {
  public long number() {
    return revision.number();
  }
}
