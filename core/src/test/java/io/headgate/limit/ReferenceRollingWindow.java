package io.headgate.limit;

import java.util.ArrayList;
import java.util.List;

/** Reference for rolling window: every request with its time, recounted for each check. */
final class ReferenceRollingWindow extends ReferenceLimit {
  private record Entry(long time, long cost) {}

  private final RollingWindow limit;
  private final List<Entry> all = new ArrayList<>();

  ReferenceRollingWindow(RollingWindow limit) {
    this.limit = limit;
  }

  @Override
  void observe(long now) {
    all.removeIf(entry -> !isInside(entry, now));
  }

  @Override
  long capacity() {
    return limit.rate().permits();
  }

  @Override
  long room(long now) {
    var inside = inside(now);
    if (!inside.isEmpty()) {
      long sinceLast = Math.max(0, now - inside.getLast().time);
      if (sinceLast < Bounds.micros(limit.minInterval())) return 0;
    }
    return capacity() - inside.stream().mapToLong(Entry::cost).sum();
  }

  @Override
  boolean fresh(long now) {
    return inside(now).isEmpty();
  }

  @Override
  void take(long now, long cost) {
    var inside = inside(now);
    long notBefore = inside.isEmpty() ? now : inside.getLast().time;
    all.add(new Entry(Math.max(now, notBefore), cost));
  }

  private List<Entry> inside(long now) {
    return all.stream().filter(entry -> isInside(entry, now)).toList();
  }

  private boolean isInside(Entry entry, long now) {
    return entry.time > now - limit.rate().periodMicros();
  }
}
