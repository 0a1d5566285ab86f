package io.headgate;

import io.headgate.rule.CombinedPlan;
import io.headgate.store.PlanResult;
import java.util.ArrayList;
import java.util.List;

/**
 * What became of several requests that were decided as one.
 *
 * @param whole the decision on all of them; it has the lease, if slots were taken
 * @param each what the limits of each request said, in their order. One that its own limits would
 *     let pass is allowed there, though nothing was charged if the whole was denied
 */
public record JointResult(CheckResult whole, List<CheckResult> each) {
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

  public boolean isAllowed() {
    return whole.isAllowed();
  }
}
