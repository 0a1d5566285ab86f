package io.headgate.consistency;

import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.PlanResult;
import io.headgate.store.Store;

/** Says each time that it is asked. */
record CountingStore(Store store, Runnable asked) implements Store {
  @Override
  public PlanResult decide(Plan plan) {
    asked.run();
    return store.decide(plan);
  }

  @Override
  public PlanResult peek(Plan plan) {
    asked.run();
    return store.peek(plan);
  }

  @Override
  public boolean renew(Charge charge) {
    return store.renew(charge);
  }

  @Override
  public boolean release(Charge charge) {
    return store.release(charge);
  }

  @Override
  public void reset(Counter counter, String key) {
    store.reset(counter, key);
  }

  @Override
  public long trackedKeys() {
    return store.trackedKeys();
  }
}
