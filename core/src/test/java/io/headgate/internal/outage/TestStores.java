package io.headgate.internal.outage;

import io.headgate.store.MemoryStore;
import io.headgate.store.OutageListener;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.util.function.IntSupplier;

/** Creates circuit-breaking stores with a given clock and size. */
final class TestStores {
  private TestStores() {}

  /** Decorates a store as {@link CircuitBreakingStore#around} does. */
  static CircuitBreakingStore around(
      Store remote,
      Probe probe,
      IntSupplier instances,
      OutageListener listener,
      Ticker ticker,
      int maxLocalKeys) {
    var local = MemoryStore.create(ticker, maxLocalKeys);
    return new CircuitBreakingStore(
        remote,
        ticker,
        instances,
        local,
        listener,
        new LocalAdmissions(local, Reporter.NONE, ticker, maxLocalKeys),
        new LastAnswers(),
        onFailure -> new BackgroundProber(probe, ticker, onFailure));
  }
}
