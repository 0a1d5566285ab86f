package io.headgate.docs;

import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.State;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of one limit for some traffic.
 *
 * @param admitted the time at which each admitted request proceeds, in microseconds; under a queue
 *     that is later than its arrival
 * @param maxDelay the longest delay, in microseconds
 */
record Trial(String name, List<Long> admitted, long maxDelay) {

  /** A whole minute, so that windows begin where the pictures do. */
  private static final long START = 1_700_000_000L / 60 * 60 * 1_000_000;

  /** Applies the limit to the arrivals, in order, starting from a fresh state. */
  static Trial of(String name, Limit limit, List<Long> arrivals) {
    var admitted = new ArrayList<Long>();
    long maxDelay = 0;
    State state = State.FRESH;
    for (long arrival : arrivals) {
      var step = limit.step(state, START + arrival, 1);
      state = step.state();
      if (step.outcome() instanceof Passed passed) {
        admitted.add(arrival + passed.delay());
        maxDelay = Math.max(maxDelay, passed.delay());
      }
    }
    return new Trial(name, admitted, maxDelay);
  }

  /** Returns the largest number of admitted requests in any span of one second. */
  int maxInAnySecond() {
    int max = 0;
    for (int first = 0, last = 0; last < admitted.size(); last++) {
      while (admitted.get(last) - admitted.get(first) >= SampleArrivals.SECOND) first++;
      max = Math.max(max, last - first + 1);
    }
    return max;
  }
}
