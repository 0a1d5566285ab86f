package io.headgate.rule;

import java.util.Arrays;

/**
 * A growable list of primitive ints with copy-on-write: adding one list to an empty one shares its
 * array, so that the usual lookup, which finds a single list, copies nothing. Not thread-safe.
 */
final class IntCollector {
  private static final int[] NONE = {};

  private int[] values = NONE;
  private int size;
  private boolean borrowed; // the array belongs to another list and must not be modified

  void add(int value) {
    if (borrowed || size == values.length) copyTo(Math.max(4, size * 2));
    values[size++] = value;
  }

  void addAll(IntCollector more) {
    if (size == 0) {
      values = more.values;
      size = more.size;
      borrowed = true;
    } else {
      for (int i = 0; i < more.size; i++) add(more.values[i]);
    }
  }

  int size() {
    return size;
  }

  int get(int index) {
    return values[index];
  }

  void set(int index, int value) {
    if (borrowed) copyTo(size);
    values[index] = value;
  }

  void truncate(int size) {
    this.size = size;
  }

  /** Sorts in ascending order and removes duplicates. */
  void sort() {
    if (isAscending()) return;
    if (borrowed) copyTo(size);
    Arrays.sort(values, 0, size);
    int kept = 1;
    for (int i = 1; i < size; i++) {
      if (values[i] != values[kept - 1]) values[kept++] = values[i];
    }
    size = kept;
  }

  private boolean isAscending() {
    for (int i = 1; i < size; i++) {
      if (values[i] <= values[i - 1]) return false;
    }
    return true;
  }

  private void copyTo(int room) {
    values = Arrays.copyOf(values, room);
    borrowed = false;
  }
}
