package io.headgate.near;

import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The counters of which something is known here: a bounded number. */
final class NearTable {
  record Place(Counter counter, String key) {
    /** Keyed, because callers choose keys and records in a bin of a map are searched one by one. */
    @Override
    public int hashCode() {
      return Charge.hashOf(counter, key);
    }
  }

  /**
   * A counter, and a charge of no cost to ask about it.
   *
   * @param look under the limit that was in force when it was made
   */
  record Entry(Charge look, NearCounter counter) {}

  private final ConcurrentHashMap<Place, Entry> entries = new ConcurrentHashMap<>();
  private final int most;

  NearTable(int most) {
    this.most = most;
  }

  /** What is known of the charge's counter, in this way of knowing; made if need be. */
  <T extends NearCounter> @Nullable T obtain(Charge charge, Class<T> kind, Supplier<T> fresh) {
    var place = new Place(charge.counter(), charge.key());
    var entry = entries.get(place);
    if (entry != null && kind.isInstance(entry.counter)) return kind.cast(entry.counter);
    if (entry == null && entries.size() >= most) return null;
    if (entry != null) return null; // of another way, until the sweeper has ended it
    var made = fresh.get();
    var look = new Charge(charge.counter(), charge.key(), 0, 0);
    var other = entries.putIfAbsent(place, new Entry(look, made));
    if (other == null) return made;
    return kind.isInstance(other.counter) ? kind.cast(other.counter) : null;
  }

  boolean isSlice(Counter counter, String key) {
    var entry = entries.get(new Place(counter, key));
    return entry != null && entry.counter instanceof Slice;
  }

  void forget(Counter counter, String key) {
    entries.remove(new Place(counter, key));
  }

  /** Forgets those that are meant, by counter and key. */
  void forgetIf(BiPredicate<Counter, String> meant) {
    entries.keySet().removeIf(place -> meant.test(place.counter, place.key));
  }

  void remove(Entry entry) {
    entries.remove(new Place(entry.look.counter(), entry.look.key()), entry);
  }

  Iterable<Entry> all() {
    return entries.values();
  }

  int size() {
    return entries.size();
  }
}
