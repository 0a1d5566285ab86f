package io.headgate.internal.consistency;

import java.util.concurrent.PriorityBlockingQueue;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The leases with a {@link ReportDeadline}, in the order of their deadlines. A check sends the
 * report of its lease in time; the timer is for leases without further checks. A lease is entered
 * at most once. Thread-safe.
 */
final class ReportTimer {
  private record Entry(long at, PermitLease lease) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      return Long.signum(at - other.at); // values of System.nanoTime may overflow
    }
  }

  private final PriorityBlockingQueue<Entry> entries = new PriorityBlockingQueue<>();
  private final Consumer<PermitLease> reporter;
  private final LongConsumer waker;

  /**
   * Creates an empty timer.
   *
   * @param reporter sends the report of a lease
   * @param waker has {@link #runDue} called at the given time
   */
  ReportTimer(Consumer<PermitLease> reporter, LongConsumer waker) {
    this.reporter = reporter;
    this.waker = waker;
  }

  /** Enters a lease, unless it has no deadline or is entered. */
  void add(PermitLease lease) {
    long at = lease.startTimer();
    if (at == ReportDeadline.NONE) return;
    entries.add(new Entry(at, lease));
    waker.accept(at);
  }

  /** Reports the leases whose deadline has come, and enters those again that have a later one. */
  void runDue(long now) {
    for (var next = entries.poll(); next != null; next = entries.poll()) {
      if (next.at - now > 0) {
        entries.add(next);
        return;
      }
      if (next.lease.timerEnded(now)) reporter.accept(next.lease);
      else add(next.lease);
    }
  }

  /** Returns the first deadline; {@link Long#MAX_VALUE} if there is none. */
  long next() {
    var first = entries.peek();
    return first == null ? Long.MAX_VALUE : first.at;
  }
}
