package io.headgate.consistency;

import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The counters of which something is known here: a bounded number. */
final class LocalCounterTable {
  record Place(Counter counter, String key) {
    static Place of(Charge charge) {
      return new Place(charge.counter(), charge.key());
    }

    /** Keyed, because callers choose keys and records in a bin of a map are searched one by one. */
    @Override
    public int hashCode() {
      return Charge.hashOf(counter, key);
    }
  }

  private final ConcurrentHashMap<Place, LocalCounter> counters = new ConcurrentHashMap<>();
  private final int most;
  private volatile boolean incomplete;

  LocalCounterTable(int most) {
    this.most = most;
  }

  /**
   * What is known of the charge's counter, in this way of knowing; made if need be.
   *
   * @return null if there is no room, or while the store has yet to learn from an entry that was
   *     made when the rule had another consistency
   */
  <T extends LocalCounter> @Nullable T obtain(Charge charge, Class<T> kind, Supplier<T> fresh) {
    var place = Place.of(charge);
    var known = counters.get(place);
    if (kind.isInstance(known)) return kind.cast(known);
    if (known != null) {
      if (!known.isSettled()) return null;
      counters.remove(place, known);
    }
    if (isFull()) return null;
    var made = fresh.get();
    var other = counters.putIfAbsent(place, made);
    if (other == null) return made;
    return kind.isInstance(other) ? kind.cast(other) : null;
  }

  boolean isSlice(Counter counter, String key) {
    return counters.get(new Place(counter, key)) instanceof PermitLease;
  }

  void forget(Counter counter, String key) {
    counters.remove(new Place(counter, key));
  }

  /** Forgets those that are meant, by counter and key. */
  void forgetIf(BiPredicate<Counter, String> meant) {
    counters.keySet().removeIf(place -> meant.test(place.counter, place.key));
  }

  void remove(LocalCounter counter) {
    counters.remove(Place.of(counter.look()), counter);
  }

  /** Removes for want of room what still says something: see {@link #isIncomplete}. */
  void evict(LocalCounter counter) {
    incomplete = true;
    remove(counter);
  }

  /**
   * Whether something was evicted that still said something. A counter that is new here may have
   * been here before then, so the store has to be asked before anything is decided.
   */
  boolean isIncomplete() {
    return incomplete;
  }

  Iterable<LocalCounter> all() {
    return counters.values();
  }

  int size() {
    return counters.size();
  }

  boolean isFull() {
    return counters.size() >= most;
  }

  /** How many to evict so that there is room for some time. */
  int excess() {
    return counters.size() - (most - Math.ceilDiv(most, 8));
  }
}
