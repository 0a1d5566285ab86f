package io.headgate.outage;

/** Probes a store that is unavailable until it can decide again. */
public interface ProbeSchedule {
  /**
   * Begins to probe, unless it does already or {@link #end} was called. Probes until one succeeds,
   * and runs {@code onSuccess} then, when it may be started again.
   */
  void start(Runnable onSuccess);

  /** Ends probing for good. */
  void end();

  /** When the next probe is due, by the ticker; in the past while one is under way. */
  long dueAt();
}
