package io.headgate.store;

import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Stores the states of all counters and evaluates plans against them, each plan atomically.
 *
 * <p>{@link Plan#step} defines the result of a plan. {@link MemoryStore} calls it. A remote store
 * may evaluate the plan where the states are, as the Redis store does with Lua scripts; its
 * outcomes have to be equal to those of {@code Plan.step}. A store that decorates another one may
 * decide without it, for example while it is unavailable, and reports so in {@link
 * PlanResult#source}. Such a store extends {@link ForwardingStore}:
 *
 * {@snippet file="io/headgate/LibraryExamplesTest.java" region="store"}
 *
 * <p>Implementations are thread-safe. Methods of a remote store throw a {@link StoreException} if
 * it fails.
 */
public interface Store extends AutoCloseable {
  /** Evaluates the plan and stores the resulting states. */
  PlanResult decide(Plan plan);

  /** Evaluates the plan without changing any state. */
  PlanResult peek(Plan plan);

  /**
   * As {@link #decide}, without blocking the caller on a remote store. Dependents of the stage may
   * run on the thread that completes the stages of all callers, so they must not block.
   */
  default CompletionStage<PlanResult> decideAsync(Plan plan) {
    return CompletableFuture.completedFuture(decide(plan));
  }

  /**
   * Extends the slot of the charge's holder by the limit's slot lifetime.
   *
   * <p>Drops all slots of the counter that have expired, so that they stay expired if the clock
   * steps back. Leaves a state of another algorithm unchanged: the rule may have changed since the
   * slot was acquired, and only a decision converts a state.
   *
   * @return false if the holder has no slot, for example because it expired
   */
  boolean renew(Charge charge);

  /**
   * Releases the slot of the charge's holder. An adaptive limit learns nothing from it. Expired
   * slots and states of another algorithm are treated as by {@link #renew}.
   *
   * @return false if the holder has no slot, for example because it expired
   */
  boolean release(Charge charge);

  /**
   * Releases the slot of the charge's holder after a call. An adaptive limit learns from the call;
   * for any other limit this is {@link #release(Charge)}, which the default implementation calls.
   *
   * @param call how the call ended. Its duration is a claim of the client, which a store bounds by
   *     the age of the slot where it knows it
   * @return false if the holder has no slot, for example because it expired. The call is not
   *     learned from then
   */
  default boolean release(Charge charge, CompletedCall call) {
    return release(charge);
  }

  /** Removes the state of one counter, which is then fresh. */
  void reset(Counter counter, String key);

  /**
   * Returns the number of counters with a state, for metrics. A remote store also counts records of
   * reservations, and those of resets of buckets and windows, which expire.
   */
  long trackedKeys();

  /**
   * Returns where the load of backends is kept for all instances that share this store; empty if
   * each limiter keeps it for itself.
   */
  default Optional<SignalStore> signals() {
    return Optional.empty();
  }

  /** Returns where reservations are kept; empty if the store has none. */
  default Optional<ReservationStore> reservations() {
    return Optional.empty();
  }

  /** Returns where permits are held for holders of their own; empty if the store has no holds. */
  default Optional<HoldStore> holds() {
    return Optional.empty();
  }

  /** Releases the threads and connections of the store. */
  @Override
  default void close() {}
}
