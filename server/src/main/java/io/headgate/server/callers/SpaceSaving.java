package io.headgate.server.callers;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The heaviest of a stream in bounded memory, after Metwally, Agrawal and El Abbadi: who is not
 * among the {@code most} that are kept takes the place of the lightest, and its weight too, as an
 * error.
 *
 * <p>With {@code n} the weight of all: no weight is too low; none is too high by more than its
 * error, nor any error above {@code n / most}; whoever weighs more than {@code n / most} is kept.
 * All of it fades at the same pace ({@link #fade}), which keeps the order and so the bounds.
 */
final class SpaceSaving {
  /** One that is kept. */
  static final class Entry {
    private final String name;
    private double weight;
    private double error;
    private int place;

    private Entry(String name) {
      this.name = name;
    }

    String name() {
      return name;
    }

    /** Not less than the truth, and not more than that and the error. */
    double weight() {
      return weight;
    }

    double error() {
      return error;
    }
  }

  private final int most;
  private final Map<String, Entry> byName = new HashMap<>(); // of Strings: no worse than a tree
  private final List<Entry> heap = new ArrayList<>(); // the lightest first
  private double total;

  SpaceSaving(int most) {
    this.most = most;
  }

  /** Returns who had to go. */
  Optional<String> add(String name, double weight) {
    total += weight;
    var known = byName.get(name);
    if (known != null) {
      known.weight += weight;
      sink(known);
      return Optional.empty();
    }
    var entry = new Entry(name);
    byName.put(name, entry);
    if (heap.size() < most) {
      entry.weight = weight;
      entry.place = heap.size();
      heap.add(entry);
      rise(entry);
      return Optional.empty();
    }
    var lightest = heap.getFirst();
    byName.remove(lightest.name);
    entry.weight = lightest.weight + weight;
    entry.error = lightest.weight;
    put(0, entry);
    sink(entry);
    return Optional.of(lightest.name);
  }

  /** Makes everything that was counted so far count for less. */
  void fade(double factor) {
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
    return heap.size() == most;
  }

  /** Who is not kept weighs no more than this. */
  double floor() {
    return isFull() ? heap.getFirst().weight : 0;
  }

  /** The weight of all, kept or not. */
  double total() {
    return total;
  }

  /** In no order. */
  List<Entry> entries() {
    return List.copyOf(heap);
  }

  private void put(int place, Entry entry) {
    heap.set(place, entry);
    entry.place = place;
  }

  private void rise(Entry entry) {
    while (entry.place > 0) {
      int above = (entry.place - 1) / 2;
      var parent = heap.get(above);
      if (parent.weight <= entry.weight) return;
      put(entry.place, parent);
      put(above, entry);
    }
  }

  private void sink(Entry entry) {
    for (int below = 2 * entry.place + 1; below < heap.size(); below = 2 * entry.place + 1) {
      var child = heap.get(below);
      if (below + 1 < heap.size() && heap.get(below + 1).weight < child.weight) {
        child = heap.get(below + 1);
      }
      if (child.weight >= entry.weight) return;
      int place = child.place;
      put(entry.place, child);
      put(place, entry);
    }
  }
}
