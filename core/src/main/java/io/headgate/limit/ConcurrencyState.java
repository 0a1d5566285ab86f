package io.headgate.limit;

import java.util.Arrays;
import java.util.Comparator;

/**
 * The slots in flight, in the order in which their leases end.
 *
 * <p>A class rather than a record because it holds an array, which it never changes; a state from
 * which some leases have ended shares it.
 */
public final class ConcurrencyState implements State {
  private record Slot(long holder, long end, long cost) {}

  private static final Slot[] NONE = {};

  private final Slot[] slots;
  private final int from; // those before have ended
  private final long held;
  private final long max;

  private ConcurrencyState(Slot[] slots, int from, long held, long max) {
    this.slots = slots;
    this.from = from;
    this.held = held;
    this.max = max;
  }

  static ConcurrencyState empty(long max) {
    return new ConcurrencyState(NONE, 0, 0, max);
  }

  ConcurrencyState under(long max, long now) {
    int first = from;
    long left = held;
    for (; first < slots.length && slots[first].end <= now; first++) left -= slots[first].cost;
    if (first == from && max == this.max) return this;
    if (first == slots.length) return empty(max);
    return new ConcurrencyState(slots, first, left, max);
  }

  ConcurrencyState plus(long holder, long end, long cost) {
    int place = slots.length;
    while (place > from && slots[place - 1].end > end) place--;
    var next = new Slot[slots.length - from + 1];
    System.arraycopy(slots, from, next, 0, place - from);
    System.arraycopy(slots, place, next, place - from + 1, slots.length - place);
    next[place - from] = new Slot(holder, end, cost);
    return new ConcurrencyState(next, 0, held + cost, max);
  }

  ConcurrencyState renewed(long holder, long end) {
    var next = Arrays.copyOfRange(slots, from, slots.length);
    for (int i = 0; i < next.length; i++) {
      var slot = next[i];
      if (slot.holder == holder) next[i] = new Slot(holder, Math.max(end, slot.end), slot.cost);
    }
    Arrays.sort(next, Comparator.comparingLong(Slot::end));
    return new ConcurrencyState(next, 0, held, max);
  }

  ConcurrencyState without(long holder) {
    var next = new Slot[slots.length - from];
    int kept = 0;
    long left = 0;
    for (int i = from; i < slots.length; i++) {
      if (slots[i].holder == holder) continue;
      next[kept++] = slots[i];
      left += slots[i].cost;
    }
    return new ConcurrencyState(Arrays.copyOf(next, kept), 0, left, max);
  }

  public boolean holds(long holder) {
    for (int i = from; i < slots.length; i++) {
      if (slots[i].holder == holder) return true;
    }
    return false;
  }

  long held() {
    return held;
  }

  /** When no more than {@code room} will be held, if nobody releases earlier. */
  long fitsAt(long room) {
    long rest = held;
    for (int i = from; i < slots.length; i++) {
      rest -= slots[i].cost;
      if (rest <= room) return slots[i].end;
    }
    throw new IllegalStateException("%d held but no lease ends".formatted(held));
  }

  @Override
  public long freshAt() {
    return from == slots.length ? Long.MIN_VALUE : slots[slots.length - 1].end;
  }

  @Override
  public long used(long now) {
    return Utilization.of(under(max, now).held, max);
  }
}
