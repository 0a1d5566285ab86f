package io.headgate.benchmarks.adaptive;

import io.headgate.load.CallOutcome;
import io.headgate.load.LoadSignal;

/** Admits or refuses the requests of one run. Times are microseconds. Used by one thread. */
interface AdmissionPolicy {
  /**
   * Returns whether a request may pass.
   *
   * @param tenant the index of the sender
   * @param caller the index of the caller among those of the sender
   * @param inFlight the admitted requests that have not completed, without this one
   */
  boolean admits(Plant.Tenant sender, int tenant, int caller, long now, int inFlight);

  /**
   * Records a request that completed, or that the client abandoned.
   *
   * @param inFlight the requests in flight, this one included
   */
  default void completed(long now, long duration, int inFlight, CallOutcome outcome) {}

  /** Receives the load of the server in the last second. */
  default void reported(long now, LoadSignal signal) {}
}
