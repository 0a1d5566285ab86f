package io.headgate.server.rules.database;

/**
 * Assigns the sort keys that define the order of the rules, so that few keys change when the rules
 * do. Keys have gaps, and a longest increasing subsequence of the old keys is kept.
 */
final class SortKeys {
  static final long NONE = Long.MIN_VALUE;
  static final long GAP = 1L << 20;

  /**
   * Returns increasing keys for rules in their new order.
   *
   * @param old the key each rule has had, {@link #NONE} for a new rule
   */
  static long[] assign(long[] old) {
    var kept = kept(old);
    var keys = new long[old.length];
    for (int i = 0; i < old.length; ) {
      if (kept[i]) {
        keys[i] = old[i++];
        continue;
      }
      int end = i;
      while (end < old.length && !kept[end]) end++;
      if (!fill(keys, i, end, end == old.length ? NONE : old[end])) return renumber(old.length);
      i = end;
    }
    return keys;
  }

  /**
   * Spreads the keys from {@code from} to {@code to} evenly between their neighbours.
   *
   * @return false if the gap is too small
   */
  private static boolean fill(long[] keys, int from, int to, long after) {
    int count = to - from;
    long before = from == 0 ? 0 : keys[from - 1];
    long step = after == NONE ? GAP : (after - before) / (count + 1);
    if (step < 1 || before > Long.MAX_VALUE / 2) return false;
    for (int i = from; i < to; i++) keys[i] = before + step * (i - from + 1);
    return true;
  }

  private static long[] renumber(int count) {
    var keys = new long[count];
    for (int i = 0; i < count; i++) keys[i] = GAP * (i + 1);
    return keys;
  }

  /**
   * Returns which keys are kept: a longest increasing subsequence of the old keys, found by
   * patience sorting.
   */
  private static boolean[] kept(long[] old) {
    // for each length, the index of the last element of the best sequence
    var ends = new int[old.length];
    var before = new int[old.length];
    int length = 0;
    for (int i = 0; i < old.length; i++) {
      if (old[i] == NONE) continue;
      int low = 0;
      int high = length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (old[ends[middle]] < old[i]) low = middle + 1;
        else high = middle;
      }
      before[i] = low == 0 ? -1 : ends[low - 1];
      ends[low] = i;
      if (low == length) length++;
    }
    var kept = new boolean[old.length];
    for (int i = length == 0 ? -1 : ends[length - 1]; i >= 0; i = before[i]) kept[i] = true;
    return kept;
  }

  private SortKeys() {}
}
