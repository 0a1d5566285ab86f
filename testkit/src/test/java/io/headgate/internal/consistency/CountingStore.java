package io.headgate.internal.consistency;

import io.headgate.rule.Plan;
import io.headgate.store.ForwardingStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Store;
import java.util.concurrent.CompletionStage;

/** Runs an action before each plan that it forwards. */
final class CountingStore extends ForwardingStore {
  private final Runnable onPlan;

  CountingStore(Store delegate, Runnable onPlan) {
    super(delegate);
    this.onPlan = onPlan;
  }

  @Override
  public PlanResult decide(Plan plan) {
    onPlan.run();
    return super.decide(plan);
  }

  @Override
  public PlanResult peek(Plan plan) {
    onPlan.run();
    return super.peek(plan);
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    onPlan.run();
    return super.decideAsync(plan);
  }
}
