package io.headgate.server.simulation;

/** The most that came in any span of one length, wherever it begins. Exact. */
final class BusiestSpan {
  /**
   * @param sorted moments, in order
   * @param span a moment that much later than another is no longer in its span
   */
  static int of(long[] sorted, int count, long span) {
    int most = 0;
    int first = 0;
    for (int last = 0; last < count; last++) {
      while (sorted[last] - sorted[first] >= span) first++;
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  private BusiestSpan() {}
}
