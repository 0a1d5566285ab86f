package io.headgate.cluster.internal;

import com.tangosol.net.cache.CacheMap;
import com.tangosol.util.BinaryEntry;
import io.headgate.internal.script.OwnerScript;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import io.headgate.store.Ticker;

/**
 * Evaluates a batch on the entries of one partition, by the clock of this member. Confined to a
 * thread: the grid calls it on the thread of its service.
 */
final class PartitionEvaluator {
  private static final ThreadLocal<PartitionEvaluator> CURRENT =
      ThreadLocal.withInitial(() -> new PartitionEvaluator(Ticker.system()));

  private final Ticker ticker;
  private final OwnerScript script = new OwnerScript();

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
    return PartitionCall.entry(anchor, call.keys()[0]);
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
      var entry = PartitionCall.entry(anchor, name);
      if (entry.isPresent()) removed++;
      entry.remove(false);
    }
    return new NumberWriter().put(removed).toByteArray();
  }

  private byte[] evaluateBatch(PartitionCall call, BinaryEntry<EntryKey, byte[]> anchor) {
    return script.run(call.keys(), call.argument(), ticker.micros(), new Partition(anchor));
  }

  /** The entries of one partition. */
  private record Partition(BinaryEntry<EntryKey, byte[]> anchor) implements OwnerScript.Counters {
    @Override
    public OwnerScript.OwnedCounter counter(String name) {
      return StoredCounter.in(anchor, name);
    }

    @Override
    public OwnerScript.OwnedReservation reservation(String name) {
      return StoredReservation.in(anchor, name);
    }

    @Override
    public OwnerScript.OwnedReturns returns(String name) {
      return StoredReturns.in(anchor, name);
    }
  }
}
