package io.headgate.limit;

import java.util.HashMap;
import java.util.Map;

/** Reference for concurrency: the slots of each holder with their expiry. */
final class ReferenceConcurrency extends ReferenceLimit {
  private record Slot(long end, long cost) {}

  private final Concurrency limit;
  private final Map<Long, Slot> slots = new HashMap<>();
  private long nextHolder;

  ReferenceConcurrency(Concurrency limit) {
    this.limit = limit;
  }

  @Override
  void observe(long now) {
    slots.values().removeIf(slot -> slot.end <= now);
  }

  @Override
  long capacity() {
    return limit.max();
  }

  @Override
  long room(long now) {
    return capacity() - held(now);
  }

  @Override
  boolean fresh(long now) {
    return held(now) == 0;
  }

  /** Acquires slots for {@code nextHolder}. */
  @Override
  void take(long now, long cost) {
    slots.put(nextHolder, new Slot(now + lease(), cost));
  }

  Outcome check(long now, long cost, long holder) {
    nextHolder = holder;
    return check(now, cost);
  }

  void renew(long now, long holder) {
    observe(now);
    slots.computeIfPresent(
        holder, (same, slot) -> new Slot(Math.max(slot.end, now + lease()), slot.cost));
  }

  void release(long now, long holder) {
    observe(now);
    slots.remove(holder);
  }

  boolean holds(long holder) {
    return slots.containsKey(holder);
  }

  private long held(long now) {
    return slots.values().stream().filter(slot -> slot.end > now).mapToLong(Slot::cost).sum();
  }

  private long lease() {
    return Bounds.micros(limit.lease());
  }
}
