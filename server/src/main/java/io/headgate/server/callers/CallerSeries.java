package io.headgate.server.callers;

import io.headgate.server.counts.SecondRing;

/**
 * What one caller asked in each second.
 *
 * @param from the first of them, since 1970
 */
@SuppressWarnings("ArrayRecordComponent") // made once, written out, and compared by nobody
public record CallerSeries(long from, int[] allowed, int[] denied) {
  static CallerSeries none(long second) {
    return new CallerSeries(
        second - SecondRing.SECONDS + 1, new int[SecondRing.SECONDS], new int[SecondRing.SECONDS]);
  }
}
