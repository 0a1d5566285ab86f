package io.headgate.server.simulation;

/** Computes the maximum number of events in any time span of a given length. Exact. */
final class BusiestSpan {
  /**
   * Returns the maximum.
   *
   * @param sorted times in ascending order
   * @param count number of valid elements of {@code sorted}
   * @param span length of the span, exclusive of its end
   */
  static int of(long[] sorted, int count, long span) {
    int max = 0;
    int first = 0;
    for (int last = 0; last < count; last++) {
      while (sorted[last] - sorted[first] >= span) first++;
      max = Math.max(max, last - first + 1);
    }
    return max;
  }

  private BusiestSpan() {}
}
