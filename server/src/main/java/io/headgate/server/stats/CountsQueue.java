package io.headgate.server.stats;

import io.headgate.server.callers.CallerTable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * What the event loops have given and nobody has added up yet. Bounded: where callers are invented
 * faster than they can be added up, tables of them are thrown away, and how many is said. The sums
 * are never lost.
 */
final class CountsQueue {
  private static final int MOST_TABLES = 256; // of 1,024 callers each

  private final ConcurrentLinkedQueue<ThreadCounts> tallies = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<CallerTable> tables = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder lost = new LongAdder();

  void give(ThreadCounts tally) {
    tallies.add(tally);
  }

  void give(CallerTable table) {
    if (waiting.incrementAndGet() > MOST_TABLES) {
      waiting.decrementAndGet();
      lost.increment();
      return;
    }
    tables.add(table);
  }

  void takeTallies(Consumer<ThreadCounts> use) {
    for (var tally = tallies.poll(); tally != null; tally = tallies.poll()) use.accept(tally);
  }

  void takeTables(Consumer<CallerTable> use) {
    for (var table = tables.poll(); table != null; table = tables.poll()) {
      waiting.decrementAndGet();
      use.accept(table);
    }
  }

  /** How many tables were thrown away. */
  long lost() {
    return lost.sum();
  }
}
