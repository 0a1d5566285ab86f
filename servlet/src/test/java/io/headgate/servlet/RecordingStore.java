package io.headgate.servlet;

import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.StoreException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A store in memory that records how calls ended, and can be unavailable. */
final class RecordingStore extends ForwardingStore {
  private final List<CompletedCall> calls = new CopyOnWriteArrayList<>();
  private volatile boolean unavailable;

  RecordingStore() {
    super(MemoryStore.create());
  }

  List<CompletedCall> calls() {
    return calls;
  }

  void unavailable(boolean unavailable) {
    this.unavailable = unavailable;
  }

  @Override
  public PlanResult decide(Plan plan) {
    if (unavailable) throw new StoreException(StoreException.Kind.CONNECTION, "switched off", null);
    return super.decide(plan);
  }

  @Override
  public boolean release(Charge charge, CompletedCall call) {
    boolean released = super.release(charge, call);
    calls.add(call);
    return released;
  }
}
