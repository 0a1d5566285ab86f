package io.headgate.server.simulation;

import io.headgate.rule.Rule;

/** What one rule said in a trial. */
public final class RuleTotals {
  private final Rule rule;
  private long asked;
  private long denied;
  private long delayed;

  RuleTotals(Rule rule) {
    this.rule = rule;
  }

  void count(boolean refused, long delay) {
    asked++;
    if (refused) denied++;
    else if (delay > 0) delayed++;
  }

  public Rule rule() {
    return rule;
  }

  /** How many requests it applied to. */
  public long asked() {
    return asked;
  }

  /** How many of them it refused or, if it is a shadow rule, would have. */
  public long denied() {
    return denied;
  }

  /** How many of them it told to wait. */
  public long delayed() {
    return delayed;
  }
}
