package io.headgate.server.rules;

import java.util.BitSet;

/**
 * Computes a longest increasing subsequence by patience sorting, in O(n log n). For a reordered
 * list it yields the elements that need not move.
 */
public final class LongestIncreasingSubsequence {
  /**
   * Returns the indexes of the elements of a longest increasing subsequence.
   *
   * @param numbers distinct numbers
   */
  public static BitSet longest(long[] numbers) {
    // for each length, the index of the last element of the best run
    var ends = new int[numbers.length];
    var before = new int[numbers.length];
    int length = 0;
    for (int i = 0; i < numbers.length; i++) {
      long number = numbers[i];
      int at = firstNotBelow(numbers, ends, length, number);
      before[i] = at == 0 ? -1 : ends[at - 1];
      ends[at] = i;
      length = Math.max(length, at + 1);
    }
    var indexes = new BitSet(numbers.length);
    for (int i = length == 0 ? -1 : ends[length - 1]; i >= 0; i = before[i]) indexes.set(i);
    return indexes;
  }

  private static int firstNotBelow(long[] numbers, int[] ends, int length, long number) {
    int low = 0;
    int high = length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (numbers[ends[middle]] < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private LongestIncreasingSubsequence() {}
}
