package io.headgate.cluster.internal;

import com.tangosol.net.cache.CacheMap;
import com.tangosol.util.BinaryEntry;
import io.headgate.internal.script.OwnerScript;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import io.headgate.limit.State;
import io.headgate.limit.StateCodec;

/**
 * The entry of one counter: the time of its last change and its state. Used within one call of an
 * entry processor.
 */
final class StoredCounter implements OwnerScript.OwnedCounter {
  private static final int VERSION = 1;

  /** An entry outlives its state, since the clocks of members differ. */
  private static final long MARGIN_MILLIS = 5_000;

  private static final long MAX_MILLIS = Integer.MAX_VALUE;

  private final BinaryEntry<EntryKey, byte[]> entry;
  private final boolean present;
  private final long latest;
  private final State state;

  private StoredCounter(BinaryEntry<EntryKey, byte[]> entry) {
    this.entry = entry;
    var bytes = entry.getValue();
    this.present = bytes != null;
    if (bytes == null) {
      this.latest = Long.MIN_VALUE;
      this.state = State.FRESH;
      return;
    }
    var in = new NumberReader(bytes);
    long version = in.next();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "a counter is stored in format %d; this member reads %d".formatted(version, VERSION));
    }
    this.latest = in.next();
    this.state = StateCodec.read(in);
    in.end();
  }

  /**
   * Returns the counter of a name.
   *
   * @param anchor an entry of its partition
   */
  static StoredCounter in(BinaryEntry<EntryKey, byte[]> anchor, String name) {
    return new StoredCounter(PartitionCall.entry(anchor, name));
  }

  @Override
  public long latest() {
    return latest;
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public void store(State next, long now, long freshAt) {
    if (freshAt == Long.MIN_VALUE) {
      if (present) entry.remove(false);
      return;
    }
    write(next, now);
    long millis = Math.max(0, (freshAt - now) / 1_000 + 1);
    entry.expire(Math.min(MAX_MILLIS, millis + MARGIN_MILLIS));
  }

  @Override
  public void storeForTesting(State next, long now) {
    write(next, now);
    entry.expire(CacheMap.EXPIRY_NEVER);
  }

  private void write(State next, long now) {
    var out = new NumberWriter().put(VERSION).put(now);
    StateCodec.write(next, out);
    entry.setValue(out.toByteArray());
  }
}
