package io.headgate.simulation;

import io.headgate.redis.SimulatedStore;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Plan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares each decision with that of a {@link Model} of the limits, in the order in which the
 * servers made them. For runs without faults and rule changes.
 */
final class ExactCheck implements Check {
  private final List<TimedDecision> decisions = new ArrayList<>();
  private final Map<String, Model> models = new HashMap<>();

  @Override
  public void decided(World world, TimedDecision decision) {
    decisions.add(decision);
  }

  @Override
  public void ended(World world) {
    decisions.sort(Comparator.comparingLong(TimedDecision::order));
    for (var decision : decisions) {
      boolean expected = decide(decision.plan(), decision.at());
      if (decision.isFallback()) world.fail("decided by policy without a fault: " + decision);
      if (expected != decision.isAllowed()) {
        world.fail("should have been %s: %s".formatted(expected ? "allowed" : "denied", decision));
        return;
      }
    }
  }

  private boolean decide(Plan plan, long at) {
    var charges = plan.charges();
    var passes = new boolean[charges.size()];
    for (int i = 0; i < passes.length; i++) {
      passes[i] = model(charges.get(i)).passes(at, charges.get(i).cost());
    }
    boolean allowed = true;
    for (var part : plan.parts()) allowed &= !part.isEnforced() || passes(part, passes);
    if (!allowed) return false;
    for (var part : plan.parts()) {
      if (passes(part, passes)) charge(part, charges, passes, at);
    }
    return true;
  }

  private static boolean passes(Plan.Part part, boolean[] passes) {
    long passing = 0;
    long whole = 0;
    int count = 0;
    for (int i = 0; i < part.counters().size(); i++) {
      whole += part.counters().get(i).weight();
      if (!passes[part.from() + i]) continue;
      passing += part.counters().get(i).weight();
      count++;
    }
    return switch (part.rule().combine()) {
      case Combine.Any any -> count > 0;
      case Combine.Weighted(int permille) -> passing * 1_000 >= whole * permille;
      case Combine.All all -> count == part.counters().size();
      case Combine.Hierarchical all -> count == part.counters().size();
      case Combine.Priority all -> count == part.counters().size();
    };
  }

  private void charge(Plan.Part part, List<Charge> charges, boolean[] passes, long at) {
    for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
      if (!passes[i]) continue;
      model(charges.get(i)).charge(at, charges.get(i).cost());
      if (part.rule().combine() instanceof Combine.Any) return;
    }
  }

  private Model model(Charge charge) {
    return models.computeIfAbsent(
        SimulatedStore.key(charge.counter(), charge.key()), key -> new Model(charge.limit()));
  }
}
