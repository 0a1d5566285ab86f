package io.headgate.server.simulation;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairBucket;
import io.headgate.limit.FairShare;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.Stateless;
import io.headgate.limit.TokenBucket;
import io.headgate.load.ControllerState;

/**
 * Estimates the size of the state of a limit for one caller: 8 bytes per number, without the
 * overhead of a store.
 */
final class StateBytes {
  private static final int NUMBER = 8;

  /**
   * Returns the estimate in bytes.
   *
   * @param peakRequests maximum number of requests stored at once, for limits that store each
   *     request
   */
  static long of(Limit limit, long peakRequests) {
    return NUMBER
        * switch (limit) {
          // 14 numbers, a table of references, and for each tenant its entries in table and tree
          case FairShare fair -> 50 + 11L * Math.min(peakRequests, FairBucket.MAX_TENANTS);
          case TokenBucket bucket -> 3; // theoretical arrival time, remainder, time to full
          case LeakyBucket bucket -> 3;
          case FixedWindow fixed -> 4; // end, count, and an id of the limit
          case SlidingWindow sliding -> sliding.buckets() + 1L + 4;
          case RollingWindow rolling -> 2 * peakRequests + 2; // time and cost of each
          case Concurrency slots -> 3 * peakRequests + 1; // slot id, expiry and cost of each
          case AdaptiveConcurrency slots -> 3 * peakRequests + 4 + ControllerState.SIZE;
          case Stateless stateless -> 0;
        };
  }

  private StateBytes() {}
}
