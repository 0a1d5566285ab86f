package io.headgate.near;

import io.headgate.store.SharedCounts;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** Makes a {@link NearStore} without threads, and runs its background work. */
public final class NearByHand {
  private NearByHand() {}

  public static NearStore create(
      Store remote,
      SharedCounts counts,
      IntSupplier instances,
      FailureDomains domains,
      NearOptions options,
      LongSupplier nanos,
      Ticker ticker) {
    return NearStore.byHand(remote, counts, instances, domains, options, nanos, ticker);
  }

  /** One round of reports, renewals and sweeps. */
  public static void sync(NearStore store) {
    store.errands().run();
  }
}
