package io.headgate.store;

import io.headgate.load.ShedController;
import io.headgate.rule.Counter;
import java.util.concurrent.CompletionStage;

/**
 * Stores the load of backends, and applies each report atomically as {@link ShedController#report}
 * does. Time is that of the store. A state without a report for a minute is removed.
 *
 * <p>Implementations are thread-safe. A stage fails with a {@link StoreException} if the store is
 * unavailable.
 */
public interface SignalStore {
  /** Applies a report and returns the load after it. */
  CompletionStage<LoadReading> report(SignalReport report);

  /** Returns the load of a backend; {@link LoadReading#NONE} if it never reported. */
  CompletionStage<LoadReading> read(Counter counter, String key);
}
