package io.headgate.server.rules.database;

import io.headgate.server.rules.LongestIncreasingSubsequence;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

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
      if (kept.get(i)) {
        keys[i] = old[i++];
        continue;
      }
      int next = kept.nextSetBit(i);
      int end = next < 0 ? old.length : next;
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

  /** Returns which keys are kept: a longest increasing subsequence of the old keys. */
  private static BitSet kept(long[] old) {
    var indexes = IntStream.range(0, old.length).filter(i -> old[i] != NONE).toArray();
    var keys = Arrays.stream(indexes).mapToLong(i -> old[i]).toArray();
    var kept = new BitSet(old.length);
    LongestIncreasingSubsequence.longest(keys).stream().forEach(i -> kept.set(indexes[i]));
    return kept;
  }

  private SortKeys() {}
}
