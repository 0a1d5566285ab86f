package io.headgate.server.callers;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The Space-Saving sketch of Metwally, Agrawal and El Abbadi ("Efficient Computation of Frequent
 * and Top-k Elements in Data Streams", 2005): the heaviest elements of a stream in bounded memory.
 * A new element replaces the lightest of the {@code capacity} entries and inherits its weight as an
 * error.
 *
 * <p>With {@code n} the total weight: no weight is too low; none is too high by more than its
 * error; no error exceeds {@code n / capacity}; every element heavier than {@code n / capacity} is
 * present. All weights decay at the same rate ({@link #decay}), which preserves the order and thus
 * the bounds.
 *
 * <p>Not thread-safe.
 */
final class SpaceSaving {
  /** An element of the sketch. */
  static final class Entry {
    private final String name;
    private double weight;
    private double error;
    private int index;

    private Entry(String name) {
      this.name = name;
    }

    String name() {
      return name;
    }

    /** Returns the weight: at least the true weight, and at most that plus the error. */
    double weight() {
      return weight;
    }

    double error() {
      return error;
    }
  }

  private final int capacity;
  // With String keys, collisions cost no more than a tree.
  private final Map<String, Entry> byName = new HashMap<>();
  private final List<Entry> heap = new ArrayList<>(); // a binary heap, lightest first
  private double total;

  SpaceSaving(int capacity) {
    this.capacity = capacity;
  }

  /** Adds weight to an element, and returns the name of the element it replaced, if any. */
  Optional<String> add(String name, double weight) {
    total += weight;
    var known = byName.get(name);
    if (known != null) {
      known.weight += weight;
      siftDown(known);
      return Optional.empty();
    }
    var entry = new Entry(name);
    byName.put(name, entry);
    if (heap.size() < capacity) {
      entry.weight = weight;
      entry.index = heap.size();
      heap.add(entry);
      siftUp(entry);
      return Optional.empty();
    }
    var lightest = heap.getFirst();
    byName.remove(lightest.name);
    entry.weight = lightest.weight + weight;
    entry.error = lightest.weight;
    put(0, entry);
    siftDown(entry);
    return Optional.of(lightest.name);
  }

  /** Multiplies all weights and errors by a factor. */
  void decay(double factor) {
    total *= factor;
    for (var entry : heap) {
      entry.weight *= factor;
      entry.error *= factor;
    }
  }

  Optional<Entry> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  boolean has(String name) {
    return byName.containsKey(name);
  }

  boolean isFull() {
    return heap.size() == capacity;
  }

  /** Returns the maximum weight of an element that is not present. */
  double floor() {
    return isFull() ? heap.getFirst().weight : 0;
  }

  /** Returns the total weight, including elements not present. */
  double total() {
    return total;
  }

  /** Returns the elements in no particular order. */
  List<Entry> entries() {
    return List.copyOf(heap);
  }

  private void put(int index, Entry entry) {
    heap.set(index, entry);
    entry.index = index;
  }

  private void siftUp(Entry entry) {
    while (entry.index > 0) {
      int above = (entry.index - 1) / 2;
      var parent = heap.get(above);
      if (parent.weight <= entry.weight) return;
      put(entry.index, parent);
      put(above, entry);
    }
  }

  private void siftDown(Entry entry) {
    for (int below = 2 * entry.index + 1; below < heap.size(); below = 2 * entry.index + 1) {
      var child = heap.get(below);
      if (below + 1 < heap.size() && heap.get(below + 1).weight < child.weight) {
        child = heap.get(below + 1);
      }
      if (child.weight >= entry.weight) return;
      int index = child.index;
      put(entry.index, child);
      put(index, entry);
    }
  }
}
