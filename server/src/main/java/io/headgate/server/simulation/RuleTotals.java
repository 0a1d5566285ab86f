package io.headgate.server.simulation;

import io.headgate.rule.Rule;

/** Decisions of one rule in a simulation. */
public final class RuleTotals {
  private final Rule rule;
  private long requests;
  private long denied;
  private long delayed;

  RuleTotals(Rule rule) {
    this.rule = rule;
  }

  void count(boolean isDenied, long delay) {
    requests++;
    if (isDenied) denied++;
    else if (delay > 0) delayed++;
  }

  public Rule rule() {
    return rule;
  }

  /** Returns the number of requests the rule applied to. */
  public long requests() {
    return requests;
  }

  /** Returns the number of requests it denied or, in shadow mode, would have denied. */
  public long denied() {
    return denied;
  }

  /** Returns the number of requests it delayed. */
  public long delayed() {
    return delayed;
  }
}
