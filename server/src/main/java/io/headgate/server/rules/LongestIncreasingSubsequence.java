package io.headgate.server.rules;

import java.util.BitSet;

/** The longest part of a sequence that ascends, which is what a reordering has left in place. */
final class LongestIncreasingSubsequence {
  /**
   * @param numbers each only once
   * @return the places of those that belong to it
   */
  static BitSet longest(int[] numbers) {
    var ends = new int[numbers.length]; // of the best run of each length, its last place
    var before = new int[numbers.length];
    int length = 0;
    for (int i = 0; i < numbers.length; i++) {
      int number = numbers[i];
      int at = firstNotBelow(numbers, ends, length, number);
      before[i] = at == 0 ? -1 : ends[at - 1];
      ends[at] = i;
      length = Math.max(length, at + 1);
    }
    var places = new BitSet(numbers.length);
    for (int i = length == 0 ? -1 : ends[length - 1]; i >= 0; i = before[i]) places.set(i);
    return places;
  }

  private static int firstNotBelow(int[] numbers, int[] ends, int length, int number) {
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
