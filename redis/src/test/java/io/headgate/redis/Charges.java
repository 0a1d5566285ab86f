package io.headgate.redis;

import io.headgate.limit.Outcome.Passed;
import io.headgate.redis.internal.script.ChargeReceipt;
import io.headgate.redis.internal.script.ScriptCommand;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.rule.Plan;

/** Charges made in tests, with the receipts to give them back. */
final class Charges {
  private Charges() {}

  /** Makes the only charge of a plan, which must pass. */
  static ChargeReceipt make(ScriptExecutor engine, Plan plan) {
    var reply =
        engine.ask(new ScriptCommand.OfCharges(plan.charges(), true)).toCompletableFuture().join();
    var outcome = reply.outcomes().getFirst();
    if (!(outcome instanceof Passed)) throw new AssertionError(plan.charges() + ": " + outcome);
    return ChargeReceipt.of(plan.charges().getFirst(), reply.now(), outcome);
  }
}
