package io.headgate.server.counts;

import java.util.Collections;
import java.util.List;

/**
 * The checks of consecutive buckets.
 *
 * @param from the first second of the oldest bucket
 * @param last the last second that is counted; its bucket may not be complete
 * @param buckets the oldest first
 */
public record CheckSeries(Resolution resolution, long from, long last, List<CheckCounts> buckets) {
  public CheckSeries {
    buckets = List.copyOf(buckets);
  }

  /** Returns a series of zeros. */
  public static CheckSeries none(Resolution resolution, long last) {
    var zeros = Collections.nCopies(resolution.buckets(), CheckCounts.NONE);
    return new CheckSeries(resolution, resolution.oldest(last), last, zeros);
  }

  /** Returns how many seconds of the newest bucket have passed. */
  public int newestSeconds() {
    return (int) Math.floorMod(last, (long) resolution.bucketSeconds()) + 1;
  }

  /** Returns the sum of all buckets. */
  public CheckCounts sum() {
    var sum = CheckCounts.NONE;
    for (var bucket : buckets) sum = sum.plus(bucket);
    return sum;
  }
}
