package io.headgate.simulation;

import io.headgate.rule.Consistency;
import io.headgate.rule.Plan;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;

/**
 * A decision returned to a caller, with its times.
 *
 * @param requestedAt the time of the request, in µs of virtual time
 * @param at the time of the decision, by the server's clock if a server made it
 * @param order the number of the batch in which a server made it; decisions of one batch are
 *     returned in its order
 */
record TimedDecision(
    Event.Arrival request,
    int rules,
    Plan plan,
    PlanResult result,
    long requestedAt,
    long at,
    long order) {
  boolean isAllowed() {
    return plan.allows(result.outcomes());
  }

  /** Returns whether failure policies decided. */
  boolean isByPolicy() {
    return result.source() == Source.FALLBACK;
  }

  /**
   * Returns whether the request was decided without the store: by failure policies, or by the last
   * answer because the reply was late. Neither a local copy of a counter nor a cached denial, which
   * charges nothing, is such a decision.
   */
  boolean isFallback() {
    boolean isCopy =
        plan.parts().stream().anyMatch(part -> part.rule().consistency() == Consistency.EVENTUAL);
    return isByPolicy() || (result.source() == Source.CACHE && isCharged() && !isCopy);
  }

  private boolean isCharged() {
    for (boolean charged : plan.charged(result.outcomes())) if (charged) return true;
    return false;
  }

  @Override
  public String toString() {
    return "%s: %s by %s: %s"
        .formatted(request, isAllowed() ? "allowed" : "denied", result.source(), result.outcomes());
  }
}
