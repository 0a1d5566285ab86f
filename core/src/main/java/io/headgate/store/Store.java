package io.headgate.store;

import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Keeps the states of all counters and runs plans against them, each atomically.
 *
 * <p>A store decides <em>where</em> state lives and how it is swapped. It never decides whether a
 * request is allowed: that is {@link Plan#step}, which every store runs as it is.
 */
public interface Store extends AutoCloseable {
  /** Runs the plan and keeps what it says. */
  PlanResult decide(Plan plan);

  /** Runs the plan and keeps nothing. */
  PlanResult peek(Plan plan);

  /**
   * As {@link #decide}, without making the caller wait for a store that is far away. What follows
   * the stage may run on the thread that brings the answers of all callers, so it must not block.
   */
  default CompletionStage<PlanResult> decideAsync(Plan plan) {
    return CompletableFuture.completedFuture(decide(plan));
  }

  /** Extends the lease that the charge's holder has; false if it has none any more. */
  boolean renew(Charge charge);

  /** Gives back the slot of the charge's holder; false if it has none any more. */
  boolean release(Charge charge);

  /** Forgets the state of one counter. */
  void reset(Counter counter, String key);

  /** How many counters have a state, for metrics. */
  long trackedKeys();

  @Override
  default void close() {}
}
