package io.headgate.rule;

import java.util.List;

/** Builds plans from the parts that the Redis script receives. */
public final class ScriptPlans {
  private ScriptPlans() {}

  /** Makes tables be walked in the same order in every JVM; to be called before any other class. */
  public static void fixHashKey() {
    HashSeed.fixed = true;
  }

  /** A plan of parts that are in no rule set; two charges may be of one counter. */
  public static Plan of(List<Plan.Part> parts, List<Charge> charges) {
    return new Plan(parts, charges, true);
  }
}
