package io.headgate.server.simulation;

import io.headgate.rule.Request;

/**
 * A request that came, or might have.
 *
 * @param micros when, since the epoch
 * @param coarse whether the time is known to the second only
 */
public record Arrival(long micros, boolean coarse, Request request) {
  Arrival at(long other) {
    return new Arrival(other, false, request);
  }
}
