package io.headgate.rule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The plan of several requests that are decided atomically: all of them are allowed or none is.
 *
 * <p>Costs that are charged to the same counter add up as if they were one request. If the sum
 * exceeds the capacity the decision is impossible, even if each request alone would pass. If the
 * requests have different limits for the same counter, the tightest applies to all. If a rule
 * denies every request like one of them, the plan has no charges, and no store is needed.
 *
 * @param whole the plan for a store to decide
 * @param each the plan of each request, in the order of the requests
 */
public record CombinedPlan(Plan whole, List<Plan> each) {
  /** Copies the list. */
  public CombinedPlan {
    each = List.copyOf(each);
  }

  /** Combines plans, each of which belongs to one request. */
  public static CombinedPlan of(List<Plan> plans) {
    if (plans.size() == 1) return new CombinedPlan(plans.getFirst(), plans);
    for (var plan : plans) {
      if (plan.isDenied()) return denied(plans);
    }
    var tightest = tightest(plans);
    var each = new ArrayList<Plan>(plans.size());
    var parts = new ArrayList<Plan.Part>();
    var charges = new ArrayList<Charge>();
    for (var plan : plans) {
      var own = withLimits(tightest, plan);
      each.add(own);
      for (var part : own.parts()) parts.add(part.at(charges.size() + part.from()));
      charges.addAll(own.charges());
    }
    return new CombinedPlan(new Plan(parts, charges, true), each);
  }

  private static CombinedPlan denied(List<Plan> plans) {
    var each = plans.stream().map(Plan::withoutCharges).toList();
    var parts = each.stream().flatMap(plan -> plan.parts().stream()).toList();
    return new CombinedPlan(new Plan(parts, List.of()), each);
  }

  /** Returns the counters for which the plans have different limits, each with the tightest. */
  private static Map<CounterKey, Counter> tightest(List<Plan> plans) {
    var limits = new HashMap<CounterKey, Counter>();
    var conflicting = new HashMap<CounterKey, Counter>();
    for (var plan : plans) {
      for (var charge : plan.charges()) {
        var known = limits.putIfAbsent(charge.counterKey(), charge.counter());
        if (known == null || known.limit().equals(charge.limit())) continue;
        var tighter = tighter(known, charge.counter());
        limits.put(charge.counterKey(), tighter);
        conflicting.put(charge.counterKey(), tighter);
      }
    }
    conflicting.replaceAll((key, counter) -> limits.get(key));
    return conflicting;
  }

  private static Counter tighter(Counter one, Counter other) {
    long difference = one.limit().capacity() - other.limit().capacity();
    if (difference == 0) difference = other.limit().window() - one.limit().window();
    return difference <= 0 ? one : other;
  }

  private static Plan withLimits(Map<CounterKey, Counter> limits, Plan plan) {
    if (limits.isEmpty()) return plan;
    var charges = new ArrayList<Charge>(plan.charges().size());
    for (var charge : plan.charges()) {
      charges.add(charge.withCounter(limits.getOrDefault(charge.counterKey(), charge.counter())));
    }
    return plan.withCharges(charges);
  }
}
