package io.headgate.cluster.internal;

import com.tangosol.util.InvocableMap.Entry;
import com.tangosol.util.InvocableMap.EntryProcessor;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Evaluates batches at the owner of their counters. It is sent to one owner with the batches of
 * several partitions, and runs once for each partition; the states that one batch changes are
 * stored and backed up together.
 *
 * <p>{@link WireSerializer} encodes it. Java serialization is refused.
 */
@SuppressWarnings("serial") // refused
final class BatchProcessor implements EntryProcessor<EntryKey, byte[], byte[]> {
  /** The version of the messages between members; another version is refused. */
  static final int VERSION = 3;

  private static final int MAX_CALLS = 10_000;

  private final transient List<PartitionCall> calls;

  BatchProcessor(List<PartitionCall> calls) {
    this.calls = calls;
  }

  /**
   * Evaluates the batches of the partition of an entry.
   *
   * @return their replies in order, each after a 1, or after a 0 the message of its failure
   */
  @Override
  public byte[] process(Entry<EntryKey, byte[]> entry) {
    var replies = new NumberWriter();
    int partition = entry.getKey().partition();
    var evaluator = PartitionEvaluator.current();
    for (var call : calls) {
      if (call.partition() != partition) continue;
      try {
        var reply = evaluator.evaluate(call, entry.asBinaryEntry());
        replies.put(1).put(reply);
      } catch (IllegalArgumentException e) {
        replies.put(0).put(String.valueOf(e.getMessage()));
      }
    }
    return replies.toByteArray();
  }

  byte[] encode() {
    var out = new NumberWriter().put(VERSION).put(calls.size());
    for (var call : calls) call.writeTo(out);
    return out.toByteArray();
  }

  static BatchProcessor decode(byte[] bytes) {
    var in = new NumberReader(bytes);
    long version = in.next();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "a member of another version sent a message of format %d; this one reads %d"
              .formatted(version, VERSION));
    }
    long count = in.next();
    if (count < 1 || count > MAX_CALLS) {
      throw new IllegalArgumentException("a message has %d batches".formatted(count));
    }
    var calls = new ArrayList<PartitionCall>((int) count);
    for (long i = 0; i < count; i++) calls.add(PartitionCall.readFrom(in));
    in.end();
    return new BatchProcessor(calls);
  }

  private Object writeReplace() {
    throw new UnsupportedOperationException("encoded by WireSerializer only");
  }
}
