package io.headgate.rule;

import java.util.Arrays;

/** A few small numbers, gathered without boxing. */
final class Ordinals {
  private int[] values = new int[4];
  private int size;

  void add(int value) {
    if (size == values.length) values = Arrays.copyOf(values, size * 2);
    values[size++] = value;
  }

  void addAll(Ordinals more) {
    for (int i = 0; i < more.size; i++) add(more.values[i]);
  }

  int size() {
    return size;
  }

  int get(int index) {
    return values[index];
  }

  void set(int index, int value) {
    values[index] = value;
  }

  void cut(int size) {
    this.size = size;
  }

  /** In ascending order, each once. */
  void sort() {
    if (size < 2) return;
    Arrays.sort(values, 0, size);
    int kept = 1;
    for (int i = 1; i < size; i++) {
      if (values[i] != values[kept - 1]) values[kept++] = values[i];
    }
    size = kept;
  }
}
