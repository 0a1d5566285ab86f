package io.headgate.benchmarks;

/** A segment tree: adds to a prefix of an array and returns the maximum of a prefix. */
final class MaxTree {
  private final int leaves; // a power of two
  private final long[] max; // of a subtree, without additions to its ancestors
  private final long[] added; // to a whole subtree

  MaxTree(long[] numbers) {
    leaves = Math.max(1, Integer.highestOneBit(Math.max(1, numbers.length - 1)) * 2);
    max = new long[2 * leaves];
    added = new long[2 * leaves];
    for (int i = 0; i < leaves; i++) {
      max[leaves + i] = i < numbers.length ? numbers[i] : Long.MIN_VALUE / 4;
    }
    for (int i = leaves - 1; i > 0; i--) max[i] = Math.max(max[2 * i], max[2 * i + 1]);
  }

  void addToFirst(int count, long amount) {
    add(1, leaves, count, amount);
  }

  private void add(int node, int size, int count, long amount) {
    if (count <= 0) return;
    if (count >= size) {
      added[node] += amount;
      max[node] += amount;
      return;
    }
    add(2 * node, size / 2, count, amount);
    add(2 * node + 1, size / 2, count - size / 2, amount);
    max[node] = Math.max(max[2 * node], max[2 * node + 1]) + added[node];
  }

  /** Returns the maximum of the first {@code count} numbers; {@code count} is at least 1. */
  long maxOfFirst(int count) {
    return max(1, leaves, count);
  }

  private long max(int node, int size, int count) {
    if (count <= 0) return Long.MIN_VALUE / 2;
    if (count >= size) return max[node];
    long left = max(2 * node, size / 2, count);
    long right = max(2 * node + 1, size / 2, count - size / 2);
    return Math.max(left, right) + added[node];
  }
}
