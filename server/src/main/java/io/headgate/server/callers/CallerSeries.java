package io.headgate.server.callers;

import io.headgate.server.counts.BucketRing;

/**
 * Checks of one caller in each second.
 *
 * @param from the first second, since the epoch
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record CallerSeries(long from, int[] allowed, int[] denied) {
  static CallerSeries empty(long second) {
    return new CallerSeries(
        second - BucketRing.SECONDS + 1, new int[BucketRing.SECONDS], new int[BucketRing.SECONDS]);
  }
}
