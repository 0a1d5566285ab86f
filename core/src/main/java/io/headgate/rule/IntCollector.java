package io.headgate.rule;

import java.util.Arrays;

/**
 * A few small numbers, gathered without boxing. Who is given one list and no other, which is what
 * happens to nearly every request, reads that list itself and makes no copy.
 */
final class IntCollector {
  private static final int[] NONE = {};

  private int[] values = NONE;
  private int size;
  private boolean borrowed; // the values are another's, not to be changed

  void add(int value) {
    if (borrowed || size == values.length) own(Math.max(4, size * 2));
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
    if (borrowed) own(size);
    values[index] = value;
  }

  void cut(int size) {
    this.size = size;
  }

  /** In ascending order, each once. */
  void sort() {
    if (isAscending()) return;
    if (borrowed) own(size);
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

  private void own(int room) {
    values = Arrays.copyOf(values, room);
    borrowed = false;
  }
}
