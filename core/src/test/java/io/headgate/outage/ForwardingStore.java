package io.headgate.outage;

import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.PlanResult;
import io.headgate.store.Store;
import java.util.concurrent.CompletionStage;

/** Hands everything on; a test overrides what it wants to be otherwise. */
public class ForwardingStore implements Store {
  private final Store target;

  protected ForwardingStore(Store target) {
    this.target = target;
  }

  @Override
  public PlanResult decide(Plan plan) {
    return target.decide(plan);
  }

  @Override
  public PlanResult peek(Plan plan) {
    return target.peek(plan);
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    return target.decideAsync(plan);
  }

  @Override
  public boolean renew(Charge charge) {
    return target.renew(charge);
  }

  @Override
  public boolean release(Charge charge) {
    return target.release(charge);
  }

  @Override
  public void reset(Counter counter, String key) {
    target.reset(counter, key);
  }

  @Override
  public long trackedKeys() {
    return target.trackedKeys();
  }

  @Override
  public void close() {
    target.close();
  }
}
