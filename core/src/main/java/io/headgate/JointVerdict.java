package io.headgate;

import io.headgate.rule.JointPlan;
import io.headgate.store.Answer;
import java.util.ArrayList;
import java.util.List;

/**
 * What became of several requests that were decided as one.
 *
 * @param whole the decision on all of them; it has the lease, if slots were taken
 * @param each what the limits of each request said, in their order. One that its own limits would
 *     let pass is allowed there, though nothing was charged if the whole was denied
 */
public record JointVerdict(Verdict whole, List<Verdict> each) {
  public JointVerdict {
    each = List.copyOf(each);
  }

  static JointVerdict of(JointPlan plan, Answer answer) {
    var outcomes = answer.outcomes();
    var each = new ArrayList<Verdict>(plan.each().size());
    int from = 0;
    for (var own : plan.each()) {
      int to = from + own.charges().size();
      var part = new Answer(outcomes.subList(from, to), answer.evidence());
      each.add(new Verdict(own, part, false));
      from = to;
    }
    return new JointVerdict(new Verdict(plan.whole(), answer, true), each);
  }

  public boolean isAllowed() {
    return whole.isAllowed();
  }
}
