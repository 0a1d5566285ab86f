package io.headgate.internal.consistency;

import io.headgate.store.HotKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Lists the hot counters of an instance, for statistics.
 *
 * <p>A permit lease knows its own demand, so leased counters need no entry in the sketch, which
 * would cost more than the decision. Counters of eventual rules are not listed. Thread-safe.
 */
final class HotKeyList {
  private final HotKeySketch sketch;
  private final LocalCounterTable table;
  private final LongSupplier nanos;

  HotKeyList(HotKeySketch sketch, LocalCounterTable table, LongSupplier nanos) {
    this.sketch = sketch;
    this.table = table;
    this.nanos = nanos;
  }

  /** Returns at most {@code max} hot counters, the hottest first. */
  List<HotKey> hottest(int max) {
    var found = new ArrayList<HotKey>();
    var leased = new HashSet<LocalCounterTable.Key>();
    long now = nanos.getAsLong();
    for (var counter : table.all()) {
      if (!(counter instanceof PermitLease lease)) continue;
      double perSecond = lease.permitsPerSecond(now);
      if (perSecond < BackgroundSync.HOT_PER_SECOND) continue;
      var key = LocalCounterTable.Key.of(lease.chargeAtZeroCost());
      leased.add(key);
      found.add(new HotKey(key.counter().rule(), key.key(), perSecond, true));
    }
    for (var hot : sketch.hottest(max)) {
      if (leased.contains(new LocalCounterTable.Key(hot.counter(), hot.key()))) continue;
      boolean isLeased = table.isLeased(hot.counter(), hot.key());
      found.add(new HotKey(hot.counter().rule(), hot.key(), hot.perSecond(), isLeased));
    }
    found.sort(Comparator.comparingDouble(HotKey::perSecond).reversed());
    return List.copyOf(found.subList(0, Math.min(max, found.size())));
  }
}
