package io.headgate.internal.outage;

import java.util.concurrent.CompletableFuture;

/**
 * Reports the local admissions of one store in virtual time, as the thread of {@link
 * LocalAdmissions} does: a batch at a time, while the circuit breaker is closed.
 */
public final class ManualReports {
  private final CircuitBreakingStore store;
  private CompletableFuture<Boolean> pending = CompletableFuture.completedFuture(true);

  /** Creates reports for a store. */
  public ManualReports(CircuitBreakingStore store) {
    this.store = store;
  }

  /** Sends the next batch, unless one is pending or there is nothing to report. */
  public void run() {
    if (store.isUnavailable() || store.admissions().keys() == 0 || !pending.isDone()) return;
    pending = store.admissions().reportAsync(LocalAdmissions.BATCH);
  }
}
