package io.headgate.server.callers;

import java.util.List;

/**
 * The callers of one rule. All counts decay as those of {@link CallerList} do.
 *
 * @param checks weight of all checks that the rule decided
 * @param denials weight of all checks that it denied, or would have denied in shadow mode
 * @param busiest callers with the most checks, the busiest first
 * @param denied callers with the most denials, the most denied first
 * @param latest the callers denied last, the latest first
 */
public record RuleCallerStats(
    double checks,
    double denials,
    List<CallerWeight> busiest,
    List<CallerWeight> denied,
    List<RuleDenial> latest) {
  /** The callers of a rule that decided nothing. */
  public static final RuleCallerStats NONE =
      new RuleCallerStats(0, 0, List.of(), List.of(), List.of());

  public RuleCallerStats {
    busiest = List.copyOf(busiest);
    denied = List.copyOf(denied);
    latest = List.copyOf(latest);
  }
}
