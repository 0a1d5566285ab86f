package io.headgate.internal.outage;

import java.util.function.LongSupplier;

/** Decides when to probe an unavailable store. Thread-safe. */
interface ProbeSchedule {
  /**
   * Starts probing, unless it is already probing or {@link #end} was called. Probes until one
   * succeeds, then runs {@code onSuccess}, by which time it can be started again.
   *
   * @param deadline returns the microseconds within which a probe has to succeed, since requests
   *     have missed this deadline
   */
  void start(LongSupplier deadline, Runnable onSuccess);

  /** Stops probing permanently. */
  void end();

  /** Returns when the next probe is due, by the ticker; a past time while one is in progress. */
  long dueAt();
}
