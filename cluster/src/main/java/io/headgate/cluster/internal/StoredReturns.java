package io.headgate.cluster.internal;

import com.tangosol.net.cache.CacheMap;
import com.tangosol.util.BinaryEntry;
import io.headgate.internal.script.OwnerScript;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import io.headgate.limit.ReturnHistory;
import java.util.ArrayList;

/**
 * The entry of the returns to one token bucket, in the partition of its counter. Used within one
 * call of an entry processor.
 */
final class StoredReturns implements OwnerScript.OwnedReturns {
  private static final int VERSION = 1;

  /** An entry outlives its content, since the clocks of members differ. */
  private static final long MARGIN_MILLIS = 5_000;

  private static final long MAX_MILLIS = Integer.MAX_VALUE;

  private final BinaryEntry<EntryKey, byte[]> entry;

  private StoredReturns(BinaryEntry<EntryKey, byte[]> entry) {
    this.entry = entry;
  }

  /**
   * Returns the returns of a name.
   *
   * @param anchor an entry of its partition
   */
  static StoredReturns in(BinaryEntry<EntryKey, byte[]> anchor, String name) {
    return new StoredReturns(PartitionCall.entry(anchor, name));
  }

  @Override
  public ReturnHistory returns() {
    var bytes = entry.getValue();
    return bytes == null ? ReturnHistory.NONE : decode(bytes);
  }

  @Override
  public void store(ReturnHistory next, long now, boolean given) {
    entry.setValue(encode(next));
    long millis = Math.max(0, next.expiresAt() - now) / 1_000 + MARGIN_MILLIS;
    entry.expire(given ? CacheMap.EXPIRY_NEVER : Math.min(MAX_MILLIS, millis));
  }

  static byte[] encode(ReturnHistory history) {
    var out = new NumberWriter().put(VERSION).put(history.expiresAt()).put(history.emptyAt());
    out.put(history.spans().size());
    long before = 0;
    for (var span : history.spans()) {
      out.put(span.from() - before).put(span.returned()).put(span.lowest());
      before = span.from(); // differences are short
    }
    return out.toByteArray();
  }

  static ReturnHistory decode(byte[] bytes) {
    var in = new NumberReader(bytes);
    long version = in.next();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "returns are stored in format %d; this member reads %d".formatted(version, VERSION));
    }
    long expiresAt = in.next();
    long emptyAt = in.next();
    var spans = new ArrayList<ReturnHistory.Span>();
    long from = 0;
    for (int left = in.count(); left > 0; left--) {
      from += in.next();
      spans.add(new ReturnHistory.Span(from, in.next(), in.next()));
    }
    in.end();
    return new ReturnHistory(expiresAt, emptyAt, spans);
  }
}
