package io.headgate.internal.outage;

import io.headgate.rule.Charge;
import io.headgate.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Charges a shared store for permits that an instance admitted without it. Thread-safe. */
@FunctionalInterface
public interface Reporter {
  /** Charges nothing, for stores that can't be charged afterwards. */
  Reporter NONE = charge -> CompletableFuture.completedStage(null);

  /**
   * Charges permits that have already been spent. Exceeds the limit if its state can represent
   * that, and otherwise charges as many permits as remain. Never charges them twice. The stage
   * fails with a {@link StoreException}.
   */
  CompletionStage<?> charge(Charge charge);
}
