package io.headgate;

import io.headgate.rule.CombinedPlan;
import io.headgate.store.PlanResult;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of several requests that were decided atomically.
 *
 * @param whole the result for all requests together; has the slot id if slots were acquired
 * @param each the result of the limits of each request, in the order of the requests. A request
 *     that passes its own limits is allowed here even if {@code whole} is denied; nothing is
 *     charged in that case
 */
public record JointResult(CheckResult whole, List<CheckResult> each) {
  /** Copies the list. */
  public JointResult {
    each = List.copyOf(each);
  }

  static JointResult of(CombinedPlan plan, PlanResult answer) {
    var outcomes = answer.outcomes();
    var each = new ArrayList<CheckResult>(plan.each().size());
    int from = 0;
    for (var own : plan.each()) {
      int to = from + own.charges().size();
      var part = new PlanResult(outcomes.subList(from, to), answer.source());
      each.add(new CheckResult(own, part, false));
      from = to;
    }
    return new JointResult(new CheckResult(plan.whole(), answer, true), each);
  }

  /** Returns whether all requests may go ahead. */
  public boolean isAllowed() {
    return whole.isAllowed();
  }
}
