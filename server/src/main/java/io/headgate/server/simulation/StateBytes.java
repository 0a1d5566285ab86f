package io.headgate.server.simulation;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;

/**
 * What a limit remembers of one caller, in bytes: computed from what its state is made of, 8 for
 * each number, without what a store needs around it.
 */
final class StateBytes {
  private static final int NUMBER = 8;

  /**
   * @param mostKept the most requests that were remembered at once, for limits that remember each
   */
  static long of(Limit limit, long mostKept) {
    return NUMBER
        * switch (limit) {
          case TokenBucket bucket -> 3; // when the debt is repaid, the slack, the whole drain
          case LeakyBucket bucket -> 3;
          case FixedWindow fixed -> 4; // end, count, and which limit wrote them
          case SlidingWindow sliding -> sliding.buckets() + 1L + 4;
          case RollingWindow rolling -> 2 * mostKept + 2; // time and cost of each
          case Concurrency slots -> 3 * mostKept + 1; // holder, end and cost of each
        };
  }

  private StateBytes() {}
}
