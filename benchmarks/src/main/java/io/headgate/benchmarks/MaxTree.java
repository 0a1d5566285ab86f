package io.headgate.benchmarks;

/** Numbers in a row, of which the first few can be raised together, and their greatest asked. */
final class MaxTree {
  private final int leaves; // a power of two
  private final long[] most; // of a subtree, without what was added above it
  private final long[] added; // to a whole subtree

  MaxTree(long[] numbers) {
    leaves = Math.max(1, Integer.highestOneBit(Math.max(1, numbers.length - 1)) * 2);
    most = new long[2 * leaves];
    added = new long[2 * leaves];
    for (int i = 0; i < leaves; i++) {
      most[leaves + i] = i < numbers.length ? numbers[i] : Long.MIN_VALUE / 4;
    }
    for (int i = leaves - 1; i > 0; i--) most[i] = Math.max(most[2 * i], most[2 * i + 1]);
  }

  void addToFirst(int count, long amount) {
    add(1, leaves, count, amount);
  }

  private void add(int node, int size, int count, long amount) {
    if (count <= 0) return;
    if (count >= size) {
      added[node] += amount;
      most[node] += amount;
      return;
    }
    add(2 * node, size / 2, count, amount);
    add(2 * node + 1, size / 2, count - size / 2, amount);
    most[node] = Math.max(most[2 * node], most[2 * node + 1]) + added[node];
  }

  /** Of at least one. */
  long mostOfFirst(int count) {
    return most(1, leaves, count);
  }

  private long most(int node, int size, int count) {
    if (count <= 0) return Long.MIN_VALUE / 2;
    if (count >= size) return most[node];
    long left = most(2 * node, size / 2, count);
    long right = most(2 * node + 1, size / 2, count - size / 2);
    return Math.max(left, right) + added[node];
  }
}
