package io.headgate.internal.consistency;

import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The local counters of an instance, bounded in number. Thread-safe. */
final class LocalCounterTable {
  record Key(Counter counter, String key) {
    static Key of(Charge charge) {
      return new Key(charge.counter(), charge.key());
    }

    /** Uses a keyed hash: callers choose keys, and a map searches colliding records linearly. */
    @Override
    public int hashCode() {
      return Charge.hashOf(counter, key);
    }
  }

  private final ConcurrentHashMap<Key, LocalCounter> counters = new ConcurrentHashMap<>();
  private final int maxCounters;
  private volatile boolean evicted;

  LocalCounterTable(int maxCounters) {
    this.maxCounters = maxCounters;
  }

  /**
   * Returns the local counter of a charge, creating it if necessary.
   *
   * @param type the type of counter that the rule's consistency mode uses
   * @return null if the table is full, or if it has an unsettled counter of another type, from
   *     before the rule's consistency mode was changed
   */
  <T extends LocalCounter> @Nullable T obtain(Charge charge, Class<T> type, Supplier<T> factory) {
    var key = Key.of(charge);
    var existing = counters.get(key);
    if (type.isInstance(existing)) return type.cast(existing);
    if (existing != null) {
      if (!existing.isSettled()) return null;
      counters.remove(key, existing);
    }
    if (isFull()) return null;
    var created = factory.get();
    var other = counters.putIfAbsent(key, created);
    if (other == null) return created;
    return type.isInstance(other) ? type.cast(other) : null;
  }

  boolean isLeased(Counter counter, String key) {
    return counters.get(new Key(counter, key)) instanceof PermitLease;
  }

  void remove(Counter counter, String key) {
    counters.remove(new Key(counter, key));
  }

  /** Removes the counters that match the predicate. */
  void removeIf(BiPredicate<Counter, String> predicate) {
    counters.keySet().removeIf(key -> predicate.test(key.counter, key.key));
  }

  void remove(LocalCounter counter) {
    counters.remove(Key.of(counter.chargeAtZeroCost()), counter);
  }

  /** Removes a counter for space although its state is not fresh; see {@link #hasEvicted}. */
  void evict(LocalCounter counter) {
    evicted = true;
    remove(counter);
  }

  /**
   * Returns whether a counter has ever been evicted. A counter that is missing may then have been
   * used before, so the store's state is required before it is decided locally.
   */
  boolean hasEvicted() {
    return evicted;
  }

  Iterable<LocalCounter> all() {
    return counters.values();
  }

  int size() {
    return counters.size();
  }

  boolean isFull() {
    return counters.size() >= maxCounters;
  }

  /** Returns how many counters to evict so that an eighth of the table is free. */
  int excess() {
    return counters.size() - (maxCounters - Math.ceilDiv(maxCounters, 8));
  }
}
