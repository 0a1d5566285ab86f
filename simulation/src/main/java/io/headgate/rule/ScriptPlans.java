package io.headgate.rule;

import java.util.List;

/** Builds plans from the parts that the Redis script receives. */
public final class ScriptPlans {
  private ScriptPlans() {}

  /** Creates a plan of parts that belong to no rule set. Two charges may have the same counter. */
  public static Plan of(List<Plan.Part> parts, List<Charge> charges) {
    return new Plan(parts, charges, true);
  }
}
