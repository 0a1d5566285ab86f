package io.headgate.server.counts;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * A value for each of at most {@value #MAX_RULES} rules. When it is full, a new rule takes the
 * place of the rule that has not been used for the longest time, provided that this is at least
 * {@value #IDLE_SECONDS} seconds. Not thread-safe.
 */
public final class RuleTable<V> {
  public static final int MAX_RULES = 200;
  static final long IDLE_SECONDS = 3_600;

  private static final class Slot<V> {
    final V value;
    long last;

    Slot(V value, long last) {
      this.value = value;
      this.last = last;
    }
  }

  private final Map<String, Slot<V>> slots = new HashMap<>();
  private final LongFunction<V> factory;
  private final Consumer<V> onReplaced;
  private long searchedAt = Long.MIN_VALUE;

  /**
   * @param factory creates the value of a rule, from the second in which it is first used
   * @param onReplaced receives the value of a rule that another one has replaced
   */
  public RuleTable(LongFunction<V> factory, Consumer<V> onReplaced) {
    this.factory = factory;
    this.onReplaced = onReplaced;
  }

  /**
   * Returns the value of a rule that is used in this second, and creates it if necessary. Empty if
   * there is no place for it.
   */
  public Optional<V> use(String rule, long second) {
    var slot = slots.get(rule);
    if (slot == null) {
      if (isFull() && !makeRoom(second)) return Optional.empty();
      slot = new Slot<>(factory.apply(second), second);
      slots.put(rule, slot);
    }
    slot.last = Math.max(slot.last, second);
    return Optional.of(slot.value);
  }

  /** Returns the value of a rule, if it has one. */
  public Optional<V> find(String rule) {
    return Optional.ofNullable(slots.get(rule)).map(slot -> slot.value);
  }

  /** Returns whether a new rule has to wait for a place. */
  public boolean isFull() {
    return slots.size() == MAX_RULES;
  }

  /** Removes the rules that have not been used for this many seconds. */
  public void expire(long second, long age) {
    slots.values().removeIf(slot -> second - slot.last >= age);
  }

  /** Searches once a second at most, since thousands of rules may have no place. */
  private boolean makeRoom(long second) {
    if (second <= searchedAt) return false;
    searchedAt = second;
    var idle =
        slots.entrySet().stream()
            .min(Comparator.comparingLong(entry -> entry.getValue().last))
            .filter(entry -> second - entry.getValue().last >= IDLE_SECONDS);
    if (idle.isEmpty()) return false;
    slots.remove(idle.get().getKey());
    onReplaced.accept(idle.get().getValue().value);
    return true;
  }
}
