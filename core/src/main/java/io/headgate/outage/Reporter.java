package io.headgate.outage;

import io.headgate.rule.Charge;
import io.headgate.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Charges a shared store for permits that an instance admitted without it. */
@FunctionalInterface
public interface Reporter {
  /** Charges nothing, for stores that can't be charged later. */
  Reporter NONE = charge -> CompletableFuture.completedStage(null);

  /**
   * Charges the permits, which have been spent already: beyond the limit where its state can hold
   * that, and otherwise as far as there is room. Never charges them twice. The stage fails with a
   * {@link StoreException}.
   */
  CompletionStage<?> charge(Charge charge);
}
