package io.headgate.internal.consistency;

import io.headgate.store.ConsistencyOptions;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** Creates a {@link ConsistencyStore} without threads, and runs its background work on demand. */
public final class ManualConsistencyStore {
  private ManualConsistencyStore() {}

  /** Creates a store that starts no thread. */
  public static ConsistencyStore create(
      Store remote,
      HoldingStore counts,
      CounterNames names,
      IntSupplier instances,
      FailureDomains domains,
      ConsistencyOptions options,
      LongSupplier nanos,
      Ticker ticker) {
    return ConsistencyStore.forTesting(
        remote, counts, names, instances, domains, options, nanos, ticker);
  }

  /** Runs one round of reports, renewals and sweeps. */
  public static void sync(ConsistencyStore store) {
    store.sync().run();
  }
}
