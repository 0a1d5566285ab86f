package io.headgate.testkit;

import io.headgate.limit.Outcome;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.State;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/**
 * The reference implementation of {@link Store}, with which all others must agree: a map of states
 * that evicts nothing. Thread-safe: every operation holds the lock of this object.
 */
public final class ReferenceStore implements Store {
  private record Key(Counter counter, String key) {
    static Key of(Charge charge) {
      return new Key(charge.counter(), charge.key());
    }
  }

  private final Map<Key, State> states = new HashMap<>();
  private final Ticker ticker;

  /** Creates an empty store. */
  public ReferenceStore(Ticker ticker) {
    this.ticker = ticker;
  }

  @Override
  public PlanResult decide(Plan plan) {
    return run(plan, true);
  }

  @Override
  public PlanResult peek(Plan plan) {
    return run(plan, false);
  }

  private synchronized PlanResult run(Plan plan, boolean keep) {
    var before = new ArrayList<State>();
    for (var charge : plan.charges()) before.add(state(charge));
    var steps = plan.step(before, ticker.micros());
    var outcomes = new ArrayList<Outcome>();
    for (int i = 0; i < steps.size(); i++) {
      if (keep) states.put(Key.of(plan.charges().get(i)), steps.get(i).state());
      outcomes.add(steps.get(i).outcome());
    }
    return new PlanResult(outcomes, Source.STORE);
  }

  @Override
  public synchronized boolean renew(Charge charge) {
    return updateSlot(charge, (slots, state, now) -> slots.renew(state, now, charge.holder()));
  }

  @Override
  public synchronized boolean release(Charge charge) {
    return updateSlot(charge, (slots, state, now) -> slots.release(state, now, charge.holder()));
  }

  @Override
  public synchronized boolean release(Charge charge, CompletedCall call) {
    return updateSlot(
        charge, (slots, state, now) -> slots.release(state, now, charge.holder(), call));
  }

  private interface SlotUpdate {
    State apply(SlotLimit slots, State state, long now);
  }

  private boolean updateSlot(Charge charge, SlotUpdate update) {
    if (!(charge.limit() instanceof SlotLimit slots)) return false;
    long now = ticker.micros();
    var state = state(charge);
    if (!(state instanceof State.Fresh)) keep(charge, update.apply(slots, state, now));
    return SlotLimit.holds(state, now, charge.holder());
  }

  @Override
  public synchronized void reset(Counter counter, String key) {
    states.remove(new Key(counter, key));
  }

  @Override
  public synchronized long trackedKeys() {
    return states.size();
  }

  State state(Charge charge) {
    return states.getOrDefault(Key.of(charge), State.FRESH);
  }

  void keep(Charge charge, State state) {
    states.put(Key.of(charge), state);
  }
}
