package io.headgate.server.simulation;

import java.util.List;

/**
 * How one limit dealt with the traffic. Each request was admitted, delayed or denied; the arrays
 * count them by the step in which they came.
 *
 * @param admitted those that went ahead at once
 * @param delayed those that were told to wait, and then went ahead
 * @param queue the longest delay of each step, in milliseconds
 * @param mostInWindow the most that went ahead in any span of the window of {@code promise}, each
 *     at the end of its delay
 * @param first what the first requests were told
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares courses, and the arrays are many
public record LimitResult(
    Candidate entrant,
    long[] admitted,
    long[] denied,
    long[] delayed,
    long[] queue,
    NominalLimit promise,
    long mostInWindow,
    Delays delays,
    long stateBytes,
    List<Told> first) {

  /** Of all that went ahead, also of those that did so at once; in milliseconds, rounded up. */
  public record Delays(long p50, long p99, long max) {}

  public record Told(long atMicros, SimulatedDecision fate, long delayMicros) {}
}
