package io.headgate.docs;

import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.State;
import java.util.ArrayList;
import java.util.List;

/**
 * One limit, held against some traffic.
 *
 * @param goes when each admitted request went ahead, which for a queue is later than it came
 */
record Trial(String name, List<Long> goes, long longestDelay) {

  /** A Monday at noon, so that windows begin where the pictures do. */
  private static final long START = 1_700_000_000L / 60 * 60 * 1_000_000;

  static Trial of(String name, Limit limit, List<Long> arrivals) {
    var goes = new ArrayList<Long>();
    long longest = 0;
    State state = State.FRESH;
    for (long arrival : arrivals) {
      var step = limit.step(state, START + arrival, 1);
      state = step.state();
      if (step.outcome() instanceof Passed passed) {
        goes.add(arrival + passed.delay());
        longest = Math.max(longest, passed.delay());
      }
    }
    return new Trial(name, goes, longest);
  }

  /** The most that went ahead in any one second, wherever it begins. */
  int mostInAnySecond() {
    int most = 0;
    for (int first = 0, last = 0; last < goes.size(); last++) {
      while (goes.get(last) - goes.get(first) >= Traffic.SECOND) first++;
      most = Math.max(most, last - first + 1);
    }
    return most;
  }
}
