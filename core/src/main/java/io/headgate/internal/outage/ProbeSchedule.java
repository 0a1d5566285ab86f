package io.headgate.internal.outage;

/** Decides when to probe an unavailable store. Thread-safe. */
interface ProbeSchedule {
  /**
   * Starts probing, unless it is already probing or {@link #end} was called. Probes until one
   * succeeds, then runs {@code onSuccess}, by which time it can be started again.
   */
  void start(Runnable onSuccess);

  /** Stops probing permanently. */
  void end();

  /** Returns when the next probe is due, by the ticker; a past time while one is in progress. */
  long dueAt();
}
