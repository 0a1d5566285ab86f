package io.headgate.store;

import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
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
   * @return false if the holder has no slot, for example because it expired
   */
  boolean renew(Charge charge);

  /**
   * Releases the slot of the charge's holder.
   *
   * @return false if the holder has no slot, for example because it expired
   */
  boolean release(Charge charge);

  /** Removes the state of one counter, which is then fresh. */
  void reset(Counter counter, String key);

  /** Returns the number of counters with a state, for metrics. */
  long trackedKeys();

  /** Releases the threads and connections of the store. */
  @Override
  default void close() {}
}
