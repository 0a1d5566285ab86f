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

  /** Sends what is due before the next round. */
  public static void sendDue(ConsistencyStore store) {
    store.sync().sendDue();
  }

  /**
   * Returns when {@link #sendDue} is to be called next, by the clock of the instance in
   * nanoseconds; {@link Long#MAX_VALUE} for never.
   */
  public static long nextDeadline(ConsistencyStore store) {
    return store.sync().nextDeadline();
  }
}
