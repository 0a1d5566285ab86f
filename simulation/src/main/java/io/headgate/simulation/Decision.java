package io.headgate.simulation;

import io.headgate.rule.Plan;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;

/**
 * A decision that a caller was given.
 *
 * @param asked when, in µs of true time
 * @param at when it was made: by the server's clock where a reply made it, else when it was given
 * @param order of the batches that servers ran: decisions of one batch are given in its order
 */
record Decision(
    Event.Ask request, int rules, Plan plan, PlanResult answer, long asked, long at, long order) {
  boolean isAllowed() {
    return plan.allows(answer.outcomes());
  }

  boolean isFallback() {
    return answer.source() == Source.FALLBACK;
  }

  @Override
  public String toString() {
    return "%s: %s by %s: %s"
        .formatted(request, isAllowed() ? "allowed" : "denied", answer.source(), answer.outcomes());
  }
}
