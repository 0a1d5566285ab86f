package io.headgate.cluster.internal;

import io.headgate.internal.script.CounterKeys;
import io.headgate.rule.Counter;
import io.headgate.store.LoadReading;
import io.headgate.store.SignalReport;
import io.headgate.store.SignalStore;
import java.util.concurrent.CompletionStage;

/** Stores the load of backends at the members, each at the owner of its key. Thread-safe. */
public final class ClusterSignalStore implements SignalStore {
  /** Rule and limit names contain no bar, so that no counter has a name with this end. */
  private static final String SUFFIX = "|||load";

  private final MemberConnection connection;
  private final CounterKeys keys;

  /** Creates a store whose keys have the prefix. */
  public ClusterSignalStore(MemberConnection connection, String prefix) {
    this.connection = connection;
    this.keys = new CounterKeys(prefix);
  }

  @Override
  public CompletionStage<LoadReading> report(SignalReport report) {
    return connection
        .call(
            PartitionCall.Kind.LOAD,
            name(report.counter(), report.key()),
            LoadOperation.encode(report))
        .thenApply(LoadOperation::decode);
  }

  @Override
  public CompletionStage<LoadReading> read(Counter counter, String key) {
    return connection
        .call(PartitionCall.Kind.LOAD, name(counter, key), LoadOperation.encode(null))
        .thenApply(LoadOperation::decode);
  }

  private String name(Counter counter, String key) {
    return keys.of(counter, key) + SUFFIX;
  }
}
