package io.headgate.server.quota;

import io.headgate.limit.Holdable;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Plan;
import java.util.ArrayList;
import java.util.List;

/**
 * What the rules allow for the requests of a bucket. Shadow rules have no effect: a proxy does not
 * report which request a rule would have denied.
 */
sealed interface QuotaPlan {
  /** No enforced rule limits the bucket. */
  record Unlimited() implements QuotaPlan {}

  /** A rule denies every request. */
  record Denied() implements QuotaPlan {}

  /**
   * A rule can't be divided into assignments: only the decision of each request is exact. Requests
   * are denied, since nothing else is within the limit.
   *
   * @param rule the id of the rule
   */
  record Unassignable(String rule) implements QuotaPlan {}

  /**
   * Each request needs one permit of each counter.
   *
   * @param charges at least one, of cost 1, each of a {@link Holdable} limit
   */
  record Assignable(List<Charge> charges) implements QuotaPlan {}

  /** Derives the quota of a bucket from the plan of one of its requests. */
  static QuotaPlan of(Plan plan) {
    if (plan.isExempt()) return new Unlimited();
    var charges = new ArrayList<Charge>();
    for (var part : plan.parts()) {
      if (!part.isEnforced() || part.isUnlimited()) continue;
      if (part.shedding() != null || !isAssignable(part)) {
        return new Unassignable(part.rule().id());
      }
      if (part.denies()) return new Denied();
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var charge = plan.charges().get(i);
        if (charge.cost() > 0) charges.add(charge);
      }
    }
    return charges.isEmpty() ? new Unlimited() : new Assignable(List.copyOf(charges));
  }

  /** As for local decisions: all limits of the rule are charged, and all support holds. */
  private static boolean isAssignable(Plan.Part part) {
    var combine = part.rule().combine();
    boolean chooses = combine instanceof Combine.Any || combine instanceof Combine.Weighted;
    if (part.counters().size() > 1 && chooses) return false;
    return part.counters().stream().allMatch(counter -> counter.limit() instanceof Holdable);
  }
}
