package io.headgate.limit;

import io.headgate.load.CallSample;
import io.headgate.load.CompletedCall;
import io.headgate.load.ConcurrencyController;
import io.headgate.load.ControllerState;
import java.util.HashMap;
import java.util.Map;

/**
 * Reference for adaptive concurrency: a map of slots, each with the time of its acquisition, and
 * the controller called with the calls that ended.
 */
final class ReferenceAdaptiveConcurrency {
  private record Slot(long since, long end, long cost, boolean isAgeKnown) {}

  private AdaptiveConcurrency limit;
  private final Map<Long, Slot> slots = new HashMap<>();
  private ControllerState controller;
  private long learnedAt = Long.MIN_VALUE;

  ReferenceAdaptiveConcurrency(AdaptiveConcurrency limit) {
    this.limit = limit;
    this.controller = start();
  }

  private ConcurrencyController bounds() {
    return new ConcurrencyController((int) limit.min(), (int) limit.max(), (int) limit.initial());
  }

  private ControllerState start() {
    return bounds().start();
  }

  private void observe(long now) {
    slots.values().removeIf(slot -> slot.end <= now);
    boolean isOutdated =
        learnedAt == Long.MIN_VALUE
            || learnedAt + Bounds.micros(AdaptiveConcurrency.RETENTION) <= now;
    if (slots.isEmpty() && isOutdated) {
      controller = start();
      learnedAt = Long.MIN_VALUE;
    }
  }

  /** Changes the limit. The ages of the slots in flight are unknown if the lease changes. */
  void change(long now, AdaptiveConcurrency to) {
    if (to.window() != limit.window()) forgetAges();
    limit = to;
    observe(now);
  }

  private void forgetAges() {
    slots.replaceAll((holder, slot) -> new Slot(slot.since, slot.end, slot.cost, false));
  }

  /** Returns whether the slots were acquired. */
  boolean acquire(long now, long cost, long holder) {
    observe(now);
    if (cost == 0) return true;
    if (cost > limit.min() || held() + cost > limit()) return false;
    slots.put(holder, new Slot(now, now + limit.window(), cost, true));
    return true;
  }

  void renew(long now, long holder) {
    var slot = slots.get(holder);
    if (slot == null || slot.end <= now) return;
    long end = Math.max(slot.end, now + limit.window());
    slots.put(holder, new Slot(slot.since, end, slot.cost, false));
  }

  void release(long now, long holder) {
    var slot = slots.get(holder);
    if (slot != null && slot.end > now) slots.remove(holder);
  }

  void release(long now, long holder, CompletedCall call) {
    var slot = slots.get(holder);
    if (slot == null || slot.end <= now) return;
    slots.values().removeIf(other -> other.end <= now);
    // One slot of unknown age makes the ages of all unknown until it would have expired.
    boolean isAgeKnown = slots.values().stream().allMatch(Slot::isAgeKnown);
    long duration =
        isAgeKnown ? Math.min(call.durationMicros(), now - slot.since) : call.durationMicros();
    var sample = new CallSample(duration, (int) held(), call.outcome());
    controller = bounds().completed(controller, now, sample);
    learnedAt = now;
    slots.remove(holder);
  }

  long held() {
    return slots.values().stream().mapToLong(Slot::cost).sum();
  }

  long limit() {
    return Math.clamp(controller.limit(), limit.min(), limit.max());
  }
}
