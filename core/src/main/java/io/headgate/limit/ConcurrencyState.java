package io.headgate.limit;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.Arrays;
import java.util.Comparator;

/**
 * The slots in flight of a concurrency limit, ordered by expiry. Immutable.
 *
 * <p>A class rather than a record because it holds an array, which is never modified and is shared
 * with later states from which slots have expired.
 */
public final class ConcurrencyState implements SlotState {
  private record Slot(long holder, long end, long cost) {}

  private static final Slot[] NONE = {};

  private final Slot[] slots;
  private final int from; // slots before this index have expired
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

  @Override
  public ConcurrencyState slots() {
    return this;
  }

  @Override
  public ConcurrencyState withSlots(ConcurrencyState slots) {
    return slots;
  }

  /**
   * Applies a limit to these slots, of which none has expired.
   *
   * @param limit the number of slots of the limit
   * @param maxCost the highest cost of a request
   * @param end when the acquired slots expire
   * @param reported the {@link Outcome#limit} of the outcome
   */
  Step acquire(
      long limit, long maxCost, long now, long end, long cost, long holder, long reported) {
    long left = Math.max(0, limit - held);
    long resetAfter = Math.max(now, freshAt()) - now;
    if (cost > maxCost) {
      return new Step(this, new ExceedsCapacity(left, resetAfter, cost, maxCost, reported));
    }
    if (cost > left) {
      return new Step(this, new Refused(left, resetAfter, fitsAt(limit - cost) - now, reported));
    }
    if (cost == 0) return new Step(this, new Passed(left, resetAfter, 0, reported));
    var next = plus(holder, end, cost);
    return new Step(next, new Passed(left - cost, next.freshAt() - now, 0, reported));
  }

  /** Returns the state at {@code now}, without expired slots. */
  ConcurrencyState at(long now) {
    return at(max, now);
  }

  /** Returns the state of a limit of {@code max} at {@code now}, without expired slots. */
  ConcurrencyState at(long max, long now) {
    int start = from;
    long left = held;
    for (; start < slots.length && slots[start].end <= now; start++) left -= slots[start].cost;
    if (start == from && max == this.max) return this;
    if (start == slots.length) return empty(max);
    return new ConcurrencyState(slots, start, left, max);
  }

  ConcurrencyState plus(long holder, long end, long cost) {
    int index = slots.length;
    while (index > from && slots[index - 1].end > end) index--;
    var next = new Slot[slots.length - from + 1];
    System.arraycopy(slots, from, next, 0, index - from);
    System.arraycopy(slots, index, next, index - from + 1, slots.length - index);
    next[index - from] = new Slot(holder, end, cost);
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

  /** Returns the expiry of the holder's slots; 0 if it has none. */
  long endOf(long holder) {
    for (int i = from; i < slots.length; i++) {
      if (slots[i].holder == holder) return slots[i].end;
    }
    return 0;
  }

  @Override
  public boolean holds(long holder) {
    for (int i = from; i < slots.length; i++) {
      if (slots[i].holder == holder) return true;
    }
    return false;
  }

  long held() {
    return held;
  }

  long max() {
    return max;
  }

  /** Returns holder, expiry and cost of each slot, one after the other, ordered by expiry. */
  long[] numbers() {
    var numbers = new long[3 * (slots.length - from)];
    for (int i = from; i < slots.length; i++) {
      numbers[3 * (i - from)] = slots[i].holder;
      numbers[3 * (i - from) + 1] = slots[i].end;
      numbers[3 * (i - from) + 2] = slots[i].cost;
    }
    return numbers;
  }

  /** Returns the state of {@link #numbers}. */
  static ConcurrencyState of(long max, long[] numbers) {
    var slots = new Slot[numbers.length / 3];
    long held = 0;
    for (int i = 0; i < slots.length; i++) {
      slots[i] = new Slot(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
      held = Math.addExact(held, slots[i].cost);
    }
    Arrays.sort(slots, Comparator.comparingLong(Slot::end));
    return new ConcurrencyState(slots, 0, held, max);
  }

  /** Returns the time at which at most {@code room} slots are held if none is released. */
  long fitsAt(long room) {
    long rest = held;
    for (int i = from; i < slots.length; i++) {
      rest -= slots[i].cost;
      if (rest <= room) return slots[i].end;
    }
    throw new IllegalStateException("%d slots are held but none expires".formatted(held));
  }

  @Override
  public long freshAt() {
    return from == slots.length ? Long.MIN_VALUE : slots[slots.length - 1].end;
  }

  @Override
  public long used(long now) {
    return Utilization.of(at(max, now).held, max);
  }
}
