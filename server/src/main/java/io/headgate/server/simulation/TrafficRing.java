package io.headgate.server.simulation;

import io.headgate.CheckResult;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.server.stats.DecisionListener;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A ring buffer of the recent requests of one thread. Written by that thread only; reading is
 * thread-safe.
 */
public final class TrafficRing implements DecisionListener {
  /** Longer subjects are skipped, since a full ring of them would use too much memory. */
  static final int MAX_SUBJECT_LENGTH = 512;

  static final int FEW_CALLERS = 64;
  private static final int WIDEN_CHECK_INTERVAL = 1_024;

  /**
   * @param ordinal the number of requests of the thread until this one
   */
  private record Entry(Arrival arrival, int hash, long ordinal) {}

  /** The number of requests of the thread until some time. */
  private record Mark(long micros, long ordinal) {}

  private static final int MARKS = 64;
  private static final long MARK_INTERVAL = RecentTraffic.RETENTION_MICROS / MARKS;

  private final RecentTraffic traffic;
  private final int capacity;
  private volatile AtomicReferenceArray<Entry> ring;
  private int next;
  private int untilWidenCheck = WIDEN_CHECK_INTERVAL;
  private int untilFullCheck;
  private volatile long droppedAt = Long.MIN_VALUE;
  private int appliedBits; // the bits the ring was last filtered by
  private final AtomicLong seen = new AtomicLong(); // written without atomic operations
  private final AtomicReferenceArray<Mark> marks = new AtomicReferenceArray<>(MARKS);
  private int nextMark;

  TrafficRing(RecentTraffic traffic, int capacity) {
    this.traffic = traffic;
    this.capacity = capacity;
    this.ring = new AtomicReferenceArray<>(capacity);
  }

  @Override
  public void decided(Request request, CheckResult result, long nanos) {
    record(request);
  }

  /** Records a request, or skips it. Called by the owning thread only. */
  void record(Request request) {
    seen.setOpaque(seen.getPlain() + 1);
    int hash = RecentTraffic.hashOf(request);
    if (traffic.isSampled(hash, traffic.bits())) keep(request, hash);
    else if (--untilWidenCheck == 0) checkWidening();
  }

  /** Checks whether more callers should be sampled, even if no current caller is. */
  private void checkWidening() {
    untilWidenCheck = WIDEN_CHECK_INTERVAL;
    long now = traffic.now();
    traffic.widenIfQuiet(now);
    mark(now);
  }

  /** Marks the time, so that requests can be counted by time even if none of them is sampled. */
  private void mark(long now) {
    var last = marks.getPlain((nextMark + MARKS - 1) % MARKS);
    if (last != null && now - last.micros < MARK_INTERVAL) return;
    marks.setRelease(nextMark, new Mark(now, seen.getPlain()));
    nextMark = (nextMark + 1) % MARKS;
  }

  private void keep(Request request, int hash) {
    if (length(request.subject()) > MAX_SUBJECT_LENGTH) return;
    long now = traffic.now();
    traffic.widenIfQuiet(now);
    if (appliedBits != traffic.bits()) filter(now);
    var oldest = ring.getPlain(next);
    if (oldest != null && oldest.arrival.micros() > now - RecentTraffic.RETENTION_MICROS) {
      if (--untilFullCheck <= 0) handleFull(now);
      if (!traffic.isSampled(hash, appliedBits)) return;
      var dropped = ring.getPlain(next);
      if (dropped != null) droppedAt = dropped.arrival.micros();
    }
    ring.setRelease(next, new Entry(new Arrival(now, false, request), hash, seen.getPlain()));
    next = next + 1 == capacity ? 0 : next + 1;
  }

  /**
   * Handles a ring that is too small for ten minutes. Sampling fewer callers frees capacity, but if
   * there are only a few callers, a shorter period is better than none of them.
   */
  private void handleFull(long now) {
    untilFullCheck = capacity;
    if (!hasManyCallers()) return;
    untilFullCheck = 0;
    traffic.narrow(appliedBits);
    filter(now);
  }

  private boolean hasManyCallers() {
    var seen = new BitSet(1 << 12);
    int callers = 0;
    for (int i = 0; i < capacity && callers <= FEW_CALLERS; i++) {
      var entry = ring.getPlain(i);
      if (entry == null) continue;
      int bit = (entry.hash * 0x9E3779B9) >>> 20;
      if (seen.get(bit)) continue;
      seen.set(bit);
      callers++;
    }
    return callers > FEW_CALLERS;
  }

  /** Removes entries that are no longer sampled or are too old, and continues after the rest. */
  private void filter(long now) {
    appliedBits = traffic.bits();
    var filtered = new AtomicReferenceArray<Entry>(capacity);
    int count = 0;
    for (int i = 0; i < capacity; i++) {
      var entry = ring.getPlain((next + i) % capacity);
      if (entry == null || entry.arrival.micros() <= now - RecentTraffic.RETENTION_MICROS) continue;
      if (traffic.isSampled(entry.hash, appliedBits)) filtered.setPlain(count++, entry);
    }
    next = count % capacity;
    ring = filtered;
  }

  private static int length(Subject subject) {
    int length = 0;
    for (var attribute : subject.attributes().entrySet()) {
      length += attribute.getKey().length() + attribute.getValue().length();
    }
    return length;
  }

  /** May be called from any thread. */
  int count(long now) {
    var seen = ring;
    int count = 0;
    for (int i = 0; i < capacity; i++) {
      var entry = seen.getAcquire(i);
      if (entry != null && entry.arrival.micros() > now - RecentTraffic.RETENTION_MICROS) count++;
    }
    return count;
  }

  /**
   * Returns the time before which the ring is incomplete: the latest time of a dropped request. May
   * be called from any thread.
   */
  long droppedAt() {
    return droppedAt;
  }

  /**
   * Returns the number of requests after a time, sampled or not, counted from the first of them
   * whose time is known. May be called from any thread.
   */
  long seenSince(long after) {
    long now = seen.getOpaque();
    long first = now + 1;
    var entries = ring;
    for (int i = 0; i < capacity; i++) {
      var entry = entries.getAcquire(i);
      if (entry != null && entry.arrival.micros() > after) first = Math.min(first, entry.ordinal);
    }
    for (int i = 0; i < MARKS; i++) {
      var mark = marks.getAcquire(i);
      if (mark != null && mark.micros > after) first = Math.min(first, mark.ordinal);
    }
    return now + 1 - first;
  }

  /** May be called from any thread. */
  void addTo(List<Arrival> arrivals, long after, int zeroBits) {
    var seen = ring;
    for (int i = 0; i < capacity; i++) {
      var entry = seen.getAcquire(i);
      if (entry == null || entry.arrival.micros() <= after) continue;
      if (traffic.isSampled(entry.hash, zeroBits)) arrivals.add(entry.arrival);
    }
  }
}
