package io.headgate.server.simulation;

import io.headgate.CheckResult;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.server.stats.DecisionListener;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** What one thread has heard lately; a ring. */
public final class TrafficRing implements DecisionListener {
  /** Longer subjects are not kept: with them, a full ring could take all the memory there is. */
  static final int LONGEST_SUBJECT = 512;

  static final int FEW_CALLERS = 64;
  private static final int LOOK_EVERY = 1_024;

  private record Heard(Arrival arrival, int hash) {}

  private final RecentTraffic all;
  private final int room;
  private volatile AtomicReferenceArray<Heard> ring;
  private int next;
  private int untilLook = LOOK_EVERY;
  private int untilFull;
  private volatile long droppedAt = Long.MIN_VALUE;
  private int known; // the bits that the ring was last cleared by

  TrafficRing(RecentTraffic all, int room) {
    this.all = all;
    this.room = room;
    this.ring = new AtomicReferenceArray<>(room);
  }

  @Override
  public void decided(Request request, CheckResult result, long nanos) {
    hear(request);
  }

  /** By the thread of this ear only. */
  void hear(Request request) {
    int hash = RecentTraffic.hashOf(request);
    if (all.isKept(hash, all.bits())) keep(request, hash);
    else if (--untilLook == 0) look();
  }

  /** Where nobody who comes is kept, it may be time to keep more. */
  private void look() {
    untilLook = LOOK_EVERY;
    all.loosenIfQuiet(all.now());
  }

  private void keep(Request request, int hash) {
    if (length(request.subject()) > LONGEST_SUBJECT) return;
    long now = all.now();
    all.loosenIfQuiet(now);
    if (known != all.bits()) clear(now);
    var oldest = ring.getPlain(next);
    if (oldest != null && oldest.arrival.micros() > now - RecentTraffic.KEPT_MICROS) {
      if (--untilFull <= 0) full(now);
      if (!all.isKept(hash, known)) return;
      var dropped = ring.getPlain(next);
      if (dropped != null) droppedAt = dropped.arrival.micros();
    }
    ring.setRelease(next, new Heard(new Arrival(now, false, request), hash));
    next = next + 1 == room ? 0 : next + 1;
  }

  /**
   * Ten minutes do not fit. Fewer callers make room, but of few callers it is better to know a
   * shorter time than nothing.
   */
  private void full(long now) {
    untilFull = room;
    if (!hasManyCallers()) return;
    untilFull = 0;
    all.tighten(known);
    clear(now);
  }

  private boolean hasManyCallers() {
    var seen = new BitSet(1 << 12);
    int callers = 0;
    for (int i = 0; i < room && callers <= FEW_CALLERS; i++) {
      var heard = ring.getPlain(i);
      if (heard == null) continue;
      int bit = (heard.hash * 0x9E3779B9) >>> 20;
      if (seen.get(bit)) continue;
      seen.set(bit);
      callers++;
    }
    return callers > FEW_CALLERS;
  }

  /** Drops those who are not kept any more and what is too old, and goes on after the rest. */
  private void clear(long now) {
    known = all.bits();
    var left = new AtomicReferenceArray<Heard>(room);
    int count = 0;
    for (int i = 0; i < room; i++) {
      var heard = ring.getPlain((next + i) % room);
      if (heard == null || heard.arrival.micros() <= now - RecentTraffic.KEPT_MICROS) continue;
      if (all.isKept(heard.hash, known)) left.setPlain(count++, heard);
    }
    next = count % room;
    ring = left;
  }

  private static int length(Subject subject) {
    int length = 0;
    for (var attribute : subject.attributes().entrySet()) {
      length += attribute.getKey().length() + attribute.getValue().length();
    }
    return length;
  }

  /** By any thread. */
  int count(long now) {
    var seen = ring;
    int count = 0;
    for (int i = 0; i < room; i++) {
      var heard = seen.getAcquire(i);
      if (heard != null && heard.arrival.micros() > now - RecentTraffic.KEPT_MICROS) count++;
    }
    return count;
  }

  /** Until when it is not whole: the latest time of what had to make room. By any thread. */
  long droppedAt() {
    return droppedAt;
  }

  /** By any thread. */
  void addTo(List<Arrival> arrivals, long after, int zeros) {
    var seen = ring;
    for (int i = 0; i < room; i++) {
      var heard = seen.getAcquire(i);
      if (heard == null || heard.arrival.micros() <= after) continue;
      if (all.isKept(heard.hash, zeros)) arrivals.add(heard.arrival);
    }
  }
}
