package io.headgate.benchmarks.adaptive;

import io.headgate.load.CallOutcome;

/** Admits or refuses the requests of one run. Times are microseconds. Used by one thread. */
interface AdmissionPolicy {
  /**
   * Returns whether a request may pass.
   *
   * @param inFlight the admitted requests that have not completed, without this one
   */
  boolean admits(Plant.Tenant sender, int tenant, long now, int inFlight);

  /**
   * Records a request that completed, or that the client abandoned.
   *
   * @param inFlight the requests in flight, this one included
   */
  default void completed(long now, long duration, int inFlight, CallOutcome outcome) {}

  /** Receives the utilization of the workers in the last second, from 0 to 1. */
  default void reported(long now, double utilization) {}
}
