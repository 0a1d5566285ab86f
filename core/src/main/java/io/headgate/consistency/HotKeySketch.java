package io.headgate.consistency;

import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Finds counters that are asked about often, without a list of all.
 *
 * <p>Each counter has one slot by a keyed hash, and each slot one counter: the one that comes there
 * most. Whoever else comes there weakens it, and takes its place when it has no strength left. With
 * {@value #SLOTS} slots, those who share one with a hot counter are 1 of so many. Every {@link
 * #halve} halves all strengths, so that they follow the last seconds.
 */
final class HotKeySketch {
  private static final int SLOTS = 4_096;

  /** What is asked about a lot. */
  record Hot(Counter counter, String key, double perSecond) {}

  private static final class Slot {
    final Counter counter;
    final String key;
    final AtomicLong strength = new AtomicLong(1);

    Slot(Counter counter, String key) {
      this.counter = counter;
      this.key = key;
    }

    boolean isOf(Counter counter, String key) {
      return this.key.equals(key) && this.counter.equals(counter);
    }
  }

  private final AtomicReferenceArray<@Nullable Slot> slots = new AtomicReferenceArray<>(SLOTS);
  private final double perSecond; // asks a second that a strength of 1 stands for
  private final long hot;

  /**
   * @param halvedEverySeconds how often {@link #halve} will be called
   * @param hotPerSecond from how many asks a second on a counter is hot
   */
  HotKeySketch(double halvedEverySeconds, double hotPerSecond) {
    // Where r come between two halvings, strength goes from r to 2r: 1.5 r on the average.
    this.perSecond = 1 / (1.5 * halvedEverySeconds);
    this.hot = Math.max(2, Math.round(hotPerSecond / perSecond));
  }

  /** Notes that somebody asks; says whether the counter is hot. */
  boolean heard(Counter counter, String key) {
    int index = slotOf(counter, key);
    var slot = slots.get(index);
    if (slot != null && slot.isOf(counter, key)) return slot.strength.incrementAndGet() > hot;
    if (slot == null || slot.strength.decrementAndGet() <= 0) {
      slots.compareAndSet(index, slot, new Slot(counter, key));
    }
    return false;
  }

  void halve() {
    for (int i = 0; i < SLOTS; i++) {
      var slot = slots.get(i);
      if (slot == null) continue;
      long left = slot.strength.updateAndGet(strength -> strength / 2);
      if (left == 0) slots.compareAndSet(i, slot, null);
    }
  }

  /** The hottest, at most so many. */
  List<Hot> hottest(int most) {
    var all = new ArrayList<Hot>();
    for (int i = 0; i < SLOTS; i++) {
      var slot = slots.get(i);
      if (slot == null || slot.strength.get() <= hot) continue;
      all.add(new Hot(slot.counter, slot.key, slot.strength.get() * perSecond));
    }
    all.sort(Comparator.comparingDouble(Hot::perSecond).reversed());
    return all.size() > most ? List.copyOf(all.subList(0, most)) : all;
  }

  private static int slotOf(Counter counter, String key) {
    return Charge.hashOf(counter, key) & SLOTS - 1;
  }
}
