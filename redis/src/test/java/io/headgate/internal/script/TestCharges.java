package io.headgate.internal.script;

import io.headgate.limit.Outcome.Passed;
import io.headgate.rule.Plan;

/** Makes charges in tests. */
final class TestCharges {
  private TestCharges() {}

  /** Makes the only charge of a plan, which must pass; returns its receipt. */
  static ChargeReceipt make(ScriptExecutor executor, Plan plan) {
    var reply =
        executor
            .submit(new ScriptCommand.ChargesCommand(plan.charges(), true))
            .toCompletableFuture()
            .join();
    var outcome = reply.outcomes().getFirst();
    if (!(outcome instanceof Passed)) throw new AssertionError(plan.charges() + ": " + outcome);
    return reply.receipt(0, plan.charges().getFirst());
  }
}
