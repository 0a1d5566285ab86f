package io.headgate.cluster.internal;

import io.headgate.internal.script.LimitFormat;
import io.headgate.internal.script.ReadBarrier;
import io.headgate.internal.script.ScriptConnection;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Sends batches to the owners of their counters. Thread-safe. */
public final class MemberConnection implements ScriptConnection {
  private final GridNode node;
  private final MemberLoop loop;
  private final OpenListClient openReservations = new OpenListClient(this);

  MemberConnection(GridNode node, MemberLoop loop) {
    this.node = node;
    this.loop = loop;
  }

  /** Returns the barrier over the thread that delivers replies. */
  public ReadBarrier barrier() {
    return loop;
  }

  @Override
  public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
    var names = new String[keys.length];
    for (int i = 0; i < keys.length; i++) names[i] = new String(keys[i], StandardCharsets.UTF_8);
    int partition = EntryKey.ofName(names[0]).partition();
    return loop.submit(new PartitionCall(PartitionCall.Kind.BATCH, partition, names, argument));
  }

  /** Executes an operation on one entry, at its owner. */
  CompletionStage<byte[]> call(PartitionCall.Kind kind, String name, byte[] argument) {
    int partition = EntryKey.ofName(name).partition();
    return loop.submit(new PartitionCall(kind, partition, new String[] {name}, argument));
  }

  /** Publishes a message of a topic to all members. */
  void publish(String topic, String text) {
    node.publish(Notice.Kind.MESSAGE, new NumberWriter().put(topic).put(text).toByteArray());
  }

  @Override
  public CompletionStage<Long> reset(byte[] key) {
    var name = new String(key, StandardCharsets.UTF_8);
    return call(PartitionCall.Kind.REMOVE, name, new byte[0])
        .thenApply(reply -> {
          node.publish(Notice.Kind.RESET, key);
          return new NumberReader(reply).next();
        });
  }

  @Override
  public CompletionStage<Long> publishReturn(byte[] key) {
    node.publish(Notice.Kind.RETURNED, key);
    return CompletableFuture.completedStage((long) node.present());
  }

  @Override
  public CompletionStage<Long> size() {
    return node.count();
  }

  @Override
  public int hashSlot(String key) {
    return EntryKey.partitionOf(key);
  }

  @Override
  public boolean keepsReservations() {
    return true;
  }

  @Override
  public CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments) {
    return openReservations.execute(new String(keys[1], StandardCharsets.UTF_8), arguments);
  }

  @Override
  public LimitFormat limitFormat() {
    return LimitFormat.CALENDARS;
  }

  @Override
  public void close() {
    node.leave(); // needs the loop, which sends notices
    loop.close();
    node.close();
  }
}
