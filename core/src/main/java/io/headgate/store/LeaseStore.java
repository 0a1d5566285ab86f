package io.headgate.store;

import io.headgate.limit.HoldRequest;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.rule.Charge;
import java.util.concurrent.CompletionStage;

/**
 * Holds permits of counters for clients that spend them without a request to the store.
 *
 * <p>A held permit is not charged and not available to others. At every moment the charges and the
 * holds of a counter fit its limit; {@link io.headgate.limit.HeldState} has the argument. Holds are
 * part of the counter's state. A store keeps at most {@link
 * io.headgate.limit.HeldState#MAX_HOLDERS} of them for one counter.
 *
 * <p>Implementations are thread-safe. Their stages fail with a {@link StoreException}.
 */
public interface LeaseStore {
  /**
   * Charges the reported usage of a hold and grants the next one, atomically.
   *
   * @param charge names the counter, whose limit is {@link Holdable}; its cost is not charged
   * @param request the holder, its usage and its wish; of cost 0
   */
  CompletionStage<Granted> hold(Charge charge, HoldRequest request);

  /**
   * The reply to {@link #hold}.
   *
   * @param outcome the state of the limit after the grant; its remaining permits exclude all holds
   * @param held the permits that the holder may spend until the lease ends
   * @param until the end of the lease by the store's clock, in microseconds
   */
  record Granted(Outcome outcome, long held, long until) {}
}
