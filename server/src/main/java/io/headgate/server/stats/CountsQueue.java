package io.headgate.server.stats;

import io.headgate.server.callers.CallerTable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Passes counts from the event loops to the collector. The number of caller tables is bounded: if
 * new callers arrive faster than they can be aggregated, tables are dropped and counted as dropped.
 * Counts of checks are never dropped. Thread-safe.
 */
final class CountsQueue {
  private static final int MAX_TABLES = 256; // of 1,024 callers each

  private final ConcurrentLinkedQueue<ThreadCounts> counts = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<CallerTable> tables = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queuedTables = new AtomicInteger();
  private final LongAdder dropped = new LongAdder();

  void add(ThreadCounts checks) {
    counts.add(checks);
  }

  void add(CallerTable table) {
    if (queuedTables.incrementAndGet() > MAX_TABLES) {
      queuedTables.decrementAndGet();
      dropped.increment();
      return;
    }
    tables.add(table);
  }

  void drainCounts(Consumer<ThreadCounts> consumer) {
    for (var next = counts.poll(); next != null; next = counts.poll()) consumer.accept(next);
  }

  void drainTables(Consumer<CallerTable> consumer) {
    for (var table = tables.poll(); table != null; table = tables.poll()) {
      queuedTables.decrementAndGet();
      consumer.accept(table);
    }
  }

  /** Returns the number of dropped tables. */
  long dropped() {
    return dropped.sum();
  }
}
