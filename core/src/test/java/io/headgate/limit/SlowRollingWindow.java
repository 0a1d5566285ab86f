package io.headgate.limit;

import java.util.ArrayList;
import java.util.List;

/** Rolling window: every request with its time, counted from scratch. */
final class SlowRollingWindow extends Slow {
  private record Taken(long time, long cost) {}

  private final RollingWindow limit;
  private final List<Taken> all = new ArrayList<>();

  SlowRollingWindow(RollingWindow limit) {
    this.limit = limit;
  }

  @Override
  void see(long now) {
    all.removeIf(taken -> !isInside(taken, now));
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
    return capacity() - inside.stream().mapToLong(Taken::cost).sum();
  }

  @Override
  boolean fresh(long now) {
    return inside(now).isEmpty();
  }

  @Override
  void take(long now, long cost) {
    var inside = inside(now);
    long notBefore = inside.isEmpty() ? now : inside.getLast().time;
    all.add(new Taken(Math.max(now, notBefore), cost));
  }

  private List<Taken> inside(long now) {
    return all.stream().filter(taken -> isInside(taken, now)).toList();
  }

  private boolean isInside(Taken taken, long now) {
    return taken.time > now - limit.rate().periodMicros();
  }
}
