package io.headgate.rule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Several requests that go ahead together or not at all.
 *
 * <p>What they would charge to the same counter adds up, as if it were one request of that cost: a
 * sum that the limit can never hold is impossible, though each by itself were not. Where requests
 * bring different limits along for that counter, the tightest holds for all.
 *
 * @param whole what a store is to decide
 * @param each the part of each request in it, in their order
 */
public record CombinedPlan(Plan whole, List<Plan> each) {
  public CombinedPlan {
    each = List.copyOf(each);
  }

  public static CombinedPlan of(List<Plan> plans) {
    if (plans.size() == 1) return new CombinedPlan(plans.getFirst(), plans);
    var tightest = tightest(plans);
    var each = new ArrayList<Plan>(plans.size());
    var parts = new ArrayList<Plan.Part>();
    var charges = new ArrayList<Charge>();
    for (var plan : plans) {
      var own = under(tightest, plan);
      each.add(own);
      for (var part : own.parts()) parts.add(part.at(charges.size() + part.from()));
      charges.addAll(own.charges());
    }
    return new CombinedPlan(new Plan(parts, charges, true), each);
  }

  /** The counters for which the plans disagree, each with the limit that holds for all of them. */
  private static Map<CounterKey, Counter> tightest(List<Plan> plans) {
    var limits = new HashMap<CounterKey, Counter>();
    var disputed = new HashMap<CounterKey, Counter>();
    for (var plan : plans) {
      for (var charge : plan.charges()) {
        var known = limits.putIfAbsent(charge.place(), charge.counter());
        if (known == null || known.limit().equals(charge.limit())) continue;
        var tighter = tighter(known, charge.counter());
        limits.put(charge.place(), tighter);
        disputed.put(charge.place(), tighter);
      }
    }
    disputed.replaceAll((place, counter) -> limits.get(place));
    return disputed;
  }

  private static Counter tighter(Counter one, Counter other) {
    long difference = one.limit().capacity() - other.limit().capacity();
    if (difference == 0) difference = other.limit().window() - one.limit().window();
    return difference <= 0 ? one : other;
  }

  private static Plan under(Map<CounterKey, Counter> limits, Plan plan) {
    if (limits.isEmpty()) return plan;
    var charges = new ArrayList<Charge>(plan.charges().size());
    for (var charge : plan.charges()) {
      charges.add(charge.under(limits.getOrDefault(charge.place(), charge.counter())));
    }
    var parts = new ArrayList<Plan.Part>(plan.parts().size());
    for (var part : plan.parts()) {
      var own = charges.subList(part.from(), part.from() + part.counters().size());
      parts.add(part.with(own.stream().map(Charge::counter).toList()));
    }
    return new Plan(parts, charges);
  }
}
