package io.headgate.store;

import io.headgate.limit.ReturnHistory;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

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

  private final int max;
  private final ConcurrentHashMap<Key, ReturnHistory> histories = new ConcurrentHashMap<>();

  /**
   * Creates an empty table.
   *
   * @param max the highest number of histories; threads that add one at the same time may exceed it
   *     by their number
   */
  ReturnTable(int max) {
    this.max = max;
  }

  /** Returns the histories of counters. */
  List<ReturnHistory> of(List<Charge> charges, long now) {
    var found = new ArrayList<ReturnHistory>(charges.size());
    for (var charge : charges) {
      var history = histories.get(Key.of(charge));
      if (history != null && history.expiresAt() > now) found.add(history);
      else found.add(histories.size() < max ? ReturnHistory.NONE : ReturnHistory.FULL);
    }
    return found;
  }

  /** Stores the histories that have changed. */
  void store(List<Charge> charges, List<ReturnHistory> next) {
    for (int i = 0; i < next.size(); i++) {
      if (!next.get(i).isEmpty()) histories.put(Key.of(charges.get(i)), next.get(i));
    }
  }

  /** Records that a counter is about to be reset, also if there is no room for it. */
  void reset(Counter counter, String key, State state, long now) {
    histories.put(new Key(counter, key), ReturnHistory.ofReset(counter.limit(), state, now));
  }

  /** Drops the histories that have expired. */
  void sweep(long now) {
    histories.values().removeIf(history -> history.expiresAt() <= now);
  }

  int size() {
    return histories.size();
  }
}
