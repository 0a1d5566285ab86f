package io.headgate.store;

import io.headgate.limit.ReturnHistory;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The returns to token buckets in memory, and the resets of counters, beside their cells. Only
 * operations on reservations and resets use it.
 *
 * <p>A history is dropped when it has expired. If there is no room for another, the counter has
 * {@link ReturnHistory#FULL}, with which a bucket returns nothing that a later charge has seen.
 */
final class ReturnTable {
  private record Key(Counter counter, String key) {
    static Key of(Charge charge) {
      return new Key(charge.counter(), charge.key());
    }
  }

  private static final int ENTRY_BYTES = 150; // with the fields of the history
  private static final int SPAN_BYTES = 48;

  private final long maxBytes;
  private final AtomicLong bytes = new AtomicLong();
  private final ConcurrentHashMap<Key, ReturnHistory> histories = new ConcurrentHashMap<>();

  /**
   * Creates an empty table.
   *
   * @param maxBytes the memory of the histories; threads that add one at the same time may exceed
   *     it by theirs
   */
  ReturnTable(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Returns the histories of counters. */
  List<ReturnHistory> of(List<Charge> charges, long now) {
    var found = new ArrayList<ReturnHistory>(charges.size());
    for (var charge : charges) {
      var history = histories.get(Key.of(charge));
      if (history != null && history.expiresAt() > now) found.add(history);
      else found.add(bytes.get() < maxBytes ? ReturnHistory.NONE : ReturnHistory.FULL);
    }
    return found;
  }

  /** Stores the histories that have changed. */
  void store(List<Charge> charges, List<ReturnHistory> next) {
    for (int i = 0; i < next.size(); i++) {
      if (!next.get(i).isEmpty()) put(Key.of(charges.get(i)), next.get(i));
    }
  }

  private void put(Key key, ReturnHistory history) {
    bytes.addAndGet(bytesOf(key, history));
    forget(key, histories.put(key, history));
  }

  private void forget(Key key, @Nullable ReturnHistory history) {
    if (history != null) bytes.addAndGet(-bytesOf(key, history));
  }

  private static long bytesOf(Key key, ReturnHistory history) {
    return ENTRY_BYTES + 2L * key.key.length() + (long) SPAN_BYTES * history.spans().size();
  }

  /** Records that a counter is about to be reset, also if there is no room for it. */
  void reset(Counter counter, String key, State state, long now) {
    put(new Key(counter, key), ReturnHistory.ofReset(counter.limit(), state, now));
  }

  /** Drops the histories that have expired. */
  void sweep(long now) {
    histories.forEach((key, history) -> {
      if (history.expiresAt() <= now && histories.remove(key, history)) forget(key, history);
    });
  }

  int size() {
    return histories.size();
  }

  /** Returns the estimated memory of the histories. */
  long bytes() {
    return bytes.get();
  }
}
