package io.headgate.server.simulation;

import java.util.List;

/**
 * Result of one limit for the simulated traffic. Each request was admitted, delayed or denied; the
 * arrays count them by the step in which they arrived.
 *
 * @param admitted requests admitted at once
 * @param denied requests denied
 * @param delayed requests admitted after a delay
 * @param queue the longest delay of each step, in milliseconds
 * @param peakInWindow the most requests admitted in any span of the window of {@code nominal}, each
 *     counted at the end of its delay
 * @param stateBytes size of the state of the limit
 * @param first decisions of the first requests
 * @param tenants the requests of each tenant; empty if there is only one
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record LimitResult(
    Candidate candidate,
    long[] admitted,
    long[] denied,
    long[] delayed,
    long[] queue,
    NominalLimit nominal,
    long peakInWindow,
    Delays delays,
    long stateBytes,
    List<RequestDecision> first,
    List<TenantTotals> tenants) {

  /**
   * Percentiles of the delays of all admitted requests, including those without delay, in
   * milliseconds, rounded up.
   */
  public record Delays(long p50, long p99, long max) {}

  /** The requests of one tenant, and how many of them were admitted, at once or later. */
  public record TenantTotals(String name, long requests, long admitted) {}

  /** The decision of one request. */
  public record RequestDecision(long atMicros, SimulatedDecision decision, long delayMicros) {}
}
