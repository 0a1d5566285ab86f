package io.headgate.cluster.internal;

import com.tangosol.util.BinaryEntry;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;

/**
 * One batch for one partition, or one operation on the load of a backend.
 *
 * @param keys the names of its counters
 * @param argument the encoded batch or operation
 */
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared
record PartitionCall(Kind kind, int partition, String[] keys, byte[] argument) {
  /** What the argument is. */
  enum Kind {
    /** A batch of the script. */
    BATCH(0),
    /** A report or reading of the load of a backend; see {@link LoadOperation}. */
    LOAD(1),
    /** The removal of counters; the argument is empty, and the reply the number of them. */
    REMOVE(2),
    /** Stores a value: its time to live in milliseconds, and its bytes. */
    PUT(3),
    /** Reads a value; the reply is empty if there is none, and else a 1 and the bytes. */
    GET(4),
    /** Changes a part of the list of open reservations; see {@link OpenListShard#change}. */
    CHANGE_LIST(5),
    /** Lists expired reservations; see {@link OpenListShard#due}. */
    LIST_DUE(6),
    /** Stores the argument unless there is a value; the reply is the stored value. */
    KEEP(7);

    private final int code;

    Kind(int code) {
      this.code = code;
    }
  }

  /** Bounds what a member reads from another. */
  private static final int MAX_KEYS = 100_000;

  private static Kind kindOf(int code) {
    for (var kind : Kind.values()) {
      if (kind.code == code) return kind;
    }
    throw new IllegalArgumentException("unknown kind of a call: " + code);
  }

  /**
   * Returns the key with which the partition can be addressed: that of the first counter, so that
   * the grid processes no entry besides those of counters.
   */
  EntryKey anchor() {
    return new EntryKey(partition, keys[0]);
  }

  /**
   * Returns the entry of a name.
   *
   * @param anchor an entry of the same partition
   */
  static BinaryEntry<EntryKey, byte[]> entry(BinaryEntry<EntryKey, byte[]> anchor, String name) {
    var key = anchor.getKey();
    if (key.name().equals(name)) return anchor;
    return anchor.getAssociatedEntry(GridNode.COUNTERS, new EntryKey(key.partition(), name));
  }

  void writeTo(NumberWriter out) {
    out.put(kind.code).put(partition).put(keys.length);
    for (var key : keys) out.put(key);
    out.put(argument);
  }

  static PartitionCall readFrom(NumberReader in) {
    var kind = kindOf(in.count());
    int partition = Math.toIntExact(in.next());
    long count = in.next();
    if (count < 1 || count > MAX_KEYS) {
      throw new IllegalArgumentException("a batch has %d keys".formatted(count));
    }
    var keys = new String[(int) count];
    for (int i = 0; i < keys.length; i++) keys[i] = in.text();
    return new PartitionCall(kind, partition, keys, in.nextBytes());
  }
}
