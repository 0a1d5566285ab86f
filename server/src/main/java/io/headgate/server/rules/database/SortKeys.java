package io.headgate.server.rules.database;

/** Numbers that keep rules in order, chosen so that few of them change when rules do. */
final class SortKeys {
  static final long NONE = Long.MIN_VALUE;
  static final long GAP = 1L << 20;

  /**
   * Rising places for rules in their new order.
   *
   * @param old the place that each has had, {@link #NONE} for a new one
   */
  static long[] assign(long[] old) {
    var kept = kept(old);
    var places = new long[old.length];
    for (int i = 0; i < old.length; ) {
      if (kept[i]) {
        places[i] = old[i++];
        continue;
      }
      int end = i;
      while (end < old.length && !kept[end]) end++;
      if (!fill(places, i, end, end == old.length ? NONE : old[end])) return afresh(old.length);
      i = end;
    }
    return places;
  }

  /**
   * Spreads the places of {@code from} to {@code to} between their neighbours, if there is room.
   */
  private static boolean fill(long[] places, int from, int to, long after) {
    int count = to - from;
    long before = from == 0 ? 0 : places[from - 1];
    long step = after == NONE ? GAP : (after - before) / (count + 1);
    if (step < 1 || before > Long.MAX_VALUE / 2) return false;
    for (int i = from; i < to; i++) places[i] = before + step * (i - from + 1);
    return true;
  }

  private static long[] afresh(int count) {
    var places = new long[count];
    for (int i = 0; i < count; i++) places[i] = GAP * (i + 1);
    return places;
  }

  /** Which may stay where they are: the longest rising sequence among the old places. */
  private static boolean[] kept(long[] old) {
    var ends = new int[old.length]; // of the best sequence of each length, the index of its last
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
