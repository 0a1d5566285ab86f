package io.headgate.cluster.internal;

import com.tangosol.net.cache.CacheMap;
import com.tangosol.util.BinaryEntry;
import io.headgate.internal.script.CounterKeys;
import io.headgate.internal.script.LimitFormat;
import io.headgate.internal.script.ScriptInterpreter;
import io.headgate.limit.HeldState;
import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import io.headgate.limit.State;
import io.headgate.reservation.ReservationRecord;
import io.headgate.store.Ticker;
import java.util.HashMap;
import java.util.Map;

/**
 * Evaluates a batch on the entries of one partition, by the clock of this member. Confined to a
 * thread: the grid calls it on the thread of its service.
 *
 * <p>Time never runs backwards for a counter: its entry has the latest time at which it was
 * changed, and a batch is evaluated at that time if the clock of this member, which may have become
 * the owner just now, is behind it.
 */
final class PartitionEvaluator {
  private static final ThreadLocal<PartitionEvaluator> CURRENT =
      ThreadLocal.withInitial(() -> new PartitionEvaluator(Ticker.system()));

  private final Ticker ticker;
  private final ScriptInterpreter interpreter = new ScriptInterpreter(LimitFormat.CALENDARS);

  PartitionEvaluator(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Returns the evaluator of this thread. */
  static PartitionEvaluator current() {
    return CURRENT.get();
  }

  /**
   * Evaluates a batch and stores the changed states.
   *
   * @param anchor an entry of the partition
   * @throws IllegalArgumentException if the batch is malformed; no state is changed then
   */
  byte[] evaluate(PartitionCall call, BinaryEntry<EntryKey, byte[]> anchor) {
    return switch (call.kind()) {
      case BATCH -> evaluateBatch(call, anchor);
      case LOAD -> LoadOperation.evaluate(call, anchor, ticker.micros());
      case REMOVE -> remove(call, anchor);
      case PUT -> put(call, anchor);
      case GET -> get(call, anchor);
      case CHANGE_LIST -> OpenListShard.change(call, anchor, ticker.micros());
      case LIST_DUE -> OpenListShard.due(call, anchor, ticker.micros());
      case KEEP -> keep(call, anchor);
    };
  }

  private static BinaryEntry<EntryKey, byte[]> entryOf(
      PartitionCall call, BinaryEntry<EntryKey, byte[]> anchor) {
    return anchor.getAssociatedEntry(
        GridNode.COUNTERS, new EntryKey(call.partition(), call.keys()[0]));
  }

  private static byte[] put(PartitionCall call, BinaryEntry<EntryKey, byte[]> anchor) {
    var in = new NumberReader(call.argument());
    var entry = entryOf(call, anchor);
    long millis = in.positive();
    entry.setValue(in.nextBytes());
    entry.expire(millis);
    in.end();
    return new byte[0];
  }

  private static byte[] get(PartitionCall call, BinaryEntry<EntryKey, byte[]> anchor) {
    var value = entryOf(call, anchor).getValue();
    return value == null ? new byte[0] : new NumberWriter().put(1).put(value).toByteArray();
  }

  private static byte[] keep(PartitionCall call, BinaryEntry<EntryKey, byte[]> anchor) {
    var entry = entryOf(call, anchor);
    var value = entry.getValue();
    if (value != null) return value;
    entry.setValue(call.argument());
    entry.expire(CacheMap.EXPIRY_NEVER);
    return call.argument();
  }

  private static byte[] remove(PartitionCall call, BinaryEntry<EntryKey, byte[]> anchor) {
    int removed = 0;
    for (var name : call.keys()) {
      var key = new EntryKey(call.partition(), name);
      var entry = anchor.<EntryKey, byte[]>getAssociatedEntry(GridNode.COUNTERS, key);
      if (entry.isPresent()) removed++;
      entry.remove(false);
    }
    return new NumberWriter().put(removed).toByteArray();
  }

  private byte[] evaluateBatch(PartitionCall call, BinaryEntry<EntryKey, byte[]> anchor) {
    long given = ScriptInterpreter.timeOf(call.argument());
    long now = ticker.micros();
    var slots = HashMap.<String, Slot>newHashMap(call.keys().length);
    for (var key : call.keys()) {
      if (CounterKeys.isOfReservation(key)) continue; // loaded when an operation needs it
      var slot = new Slot(StoredCounter.in(anchor, call.partition(), key));
      slots.put(key, slot);
      now = Math.max(now, slot.counter.latest());
    }
    var reservations = new Reservations(call.partition(), anchor, new HashMap<>());
    var entries = new Entries(slots, reservations);
    var reply = interpreter.run(call.keys(), call.argument(), now, entries);
    for (var slot : slots.values()) {
      if (!slot.changed) continue;
      if (given < 0) slot.counter.store(slot.state, now, slot.freshAt);
      else slot.counter.storeForTesting(slot.state, given);
    }
    reservations.store(given < 0 ? now : given, given >= 0);
    return reply;
  }

  private static final class Slot {
    final StoredCounter counter;
    State state;
    long freshAt;
    boolean changed;

    Slot(StoredCounter counter) {
      this.counter = counter;
      this.state = counter.state();
    }
  }

  /** The records of the reservations of one batch, which are stored after its evaluation. */
  private record Reservations(
      int partition, BinaryEntry<EntryKey, byte[]> anchor, Map<String, StoredReservation> loaded) {
    StoredReservation of(String key) {
      return loaded.computeIfAbsent(key, first -> StoredReservation.in(anchor, partition, first));
    }

    void store(long now, boolean given) {
      for (var each : loaded.values()) each.store(now, given);
    }
  }

  /** The states of one batch, which are stored after its evaluation. */
  private record Entries(Map<String, Slot> slots, Reservations reservations)
      implements ScriptInterpreter.Memory {
    private Slot slot(String key) {
      var slot = slots.get(key);
      if (slot == null) throw new IllegalArgumentException("a batch does not declare " + key);
      return slot;
    }

    @Override
    public State get(String key) {
      return slot(key).state;
    }

    @Override
    public ReservationRecord reservation(String key, long expiresAt) {
      return reservations.of(key).record(expiresAt);
    }

    @Override
    public void put(String key, ReservationRecord record) {
      reservations.of(key).replace(record);
    }

    @Override
    public void put(String key, State state) {
      throw new UnsupportedOperationException("states are stored with their limit");
    }

    @Override
    public void put(String key, State state, Limit limit) {
      var slot = slot(key);
      if (state.equals(slot.state)) return;
      slot.state = state;
      slot.changed = true;
      slot.freshAt =
          state instanceof HeldState held && limit instanceof Holdable holdable
              ? held.freshAt(holdable)
              : state.freshAt();
    }
  }
}
