package io.headgate.server.simulation;

import io.headgate.rule.Request;

/**
 * A recorded or generated request and its time.
 *
 * @param micros time since the epoch, in microseconds
 * @param coarse whether the time is exact to the second only
 */
public record Arrival(long micros, boolean coarse, Request request) {
  /** Returns the same request at another time. */
  Arrival at(long time) {
    return new Arrival(time, false, request);
  }
}
