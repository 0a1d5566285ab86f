package io.headgate.limit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The slots in flight, in the order in which their leases end. */
public final class ConcurrencyState implements State {
  private record Slot(long holder, long end, long cost) {}

  private final List<Slot> slots;
  private final long held;
  private final long max;

  private ConcurrencyState(List<Slot> slots, long max) {
    this.slots = slots;
    this.max = max;
    long sum = 0;
    for (var slot : slots) sum += slot.cost;
    this.held = sum;
  }

  static ConcurrencyState empty(long max) {
    return new ConcurrencyState(List.of(), max);
  }

  ConcurrencyState under(long max, long now) {
    int ended = 0;
    while (ended < slots.size() && slots.get(ended).end <= now) ended++;
    if (ended == 0 && max == this.max) return this;
    return new ConcurrencyState(List.copyOf(slots.subList(ended, slots.size())), max);
  }

  ConcurrencyState plus(long holder, long end, long cost) {
    var next = new ArrayList<Slot>(slots.size() + 1);
    next.addAll(slots);
    int place = next.size();
    while (place > 0 && next.get(place - 1).end > end) place--;
    next.add(place, new Slot(holder, end, cost));
    return new ConcurrencyState(next, max);
  }

  ConcurrencyState renewed(long holder, long end) {
    var next = new ArrayList<Slot>(slots.size());
    for (var slot : slots) {
      next.add(slot.holder == holder ? new Slot(holder, Math.max(end, slot.end), slot.cost) : slot);
    }
    next.sort(Comparator.comparingLong(Slot::end));
    return new ConcurrencyState(next, max);
  }

  ConcurrencyState without(long holder) {
    var next = new ArrayList<>(slots);
    next.removeIf(slot -> slot.holder == holder);
    return new ConcurrencyState(next, max);
  }

  public boolean holds(long holder) {
    return slots.stream().anyMatch(slot -> slot.holder == holder);
  }

  long held() {
    return held;
  }

  /** When no more than {@code room} will be held, if nobody releases earlier. */
  long fitsAt(long room) {
    long rest = held;
    for (var slot : slots) {
      rest -= slot.cost;
      if (rest <= room) return slot.end;
    }
    throw new IllegalStateException("%d held but no lease ends".formatted(held));
  }

  @Override
  public long freshAt() {
    return slots.isEmpty() ? Long.MIN_VALUE : slots.getLast().end;
  }

  @Override
  public long used(long now) {
    return Share.of(under(max, now).held, max);
  }
}
