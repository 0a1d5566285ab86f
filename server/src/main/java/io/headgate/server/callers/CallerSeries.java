package io.headgate.server.callers;

import io.headgate.server.counts.SecondRing;

/**
 * Checks of one caller in each second.
 *
 * @param from the first second, since the epoch
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record CallerSeries(long from, int[] allowed, int[] denied) {
  static CallerSeries empty(long second) {
    return new CallerSeries(
        second - SecondRing.SECONDS + 1, new int[SecondRing.SECONDS], new int[SecondRing.SECONDS]);
  }
}
