package io.headgate.store;

import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store that forwards every call to another store. Decorators extend it and override the methods
 * whose behaviour they change.
 */
public abstract class ForwardingStore implements Store {
  private final Store delegate;

  /**
   * Creates a store that forwards to {@code delegate}, which is closed with it.
   *
   * @param delegate the store returned by {@link #delegate()}
   */
  protected ForwardingStore(Store delegate) {
    this.delegate = delegate;
  }

  /**
   * Returns the store to forward a call to. Every method of this class but {@link #signals}, {@link
   * #reservations} and {@link #leases} calls it once, before it forwards.
   */
  protected Store delegate() {
    return delegate;
  }

  @Override
  public PlanResult decide(Plan plan) {
    return delegate().decide(plan);
  }

  @Override
  public PlanResult peek(Plan plan) {
    return delegate().peek(plan);
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    return delegate().decideAsync(plan);
  }

  @Override
  public boolean renew(Charge charge) {
    return delegate().renew(charge);
  }

  @Override
  public boolean release(Charge charge) {
    return delegate().release(charge);
  }

  @Override
  public boolean release(Charge charge, CompletedCall call) {
    return delegate().release(charge, call);
  }

  @Override
  public void reset(Counter counter, String key) {
    delegate().reset(counter, key);
  }

  @Override
  public long trackedKeys() {
    return delegate().trackedKeys();
  }

  /** Returns that of the store given to the constructor, which is not a call to forward. */
  @Override
  public Optional<SignalStore> signals() {
    return delegate.signals();
  }

  /** Returns those of the store given to the constructor, which is not a call to forward. */
  @Override
  public Optional<ReservationStore> reservations() {
    return delegate.reservations();
  }

  /** Returns those of the store given to the constructor, which is not a call to forward. */
  @Override
  public Optional<LeaseStore> leases() {
    return delegate.leases();
  }

  @Override
  public void close() {
    delegate().close();
  }
}
