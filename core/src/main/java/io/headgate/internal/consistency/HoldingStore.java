package io.headgate.internal.consistency;

import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Outcome;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.store.StoreException;
import java.util.concurrent.CompletionStage;

/**
 * The operations of a shared store that let an instance decide locally: holding permits for the
 * instance, and charging permits that it has already spent.
 *
 * <p>Both operations apply to one counter whose limit is {@link io.headgate.limit.Holdable}. Their
 * stages fail with a {@link StoreException}.
 */
public interface HoldingStore {
  /**
   * Decides a charge, then holds permits for this instance.
   *
   * <p>Held permits are not charged, and not available to other instances. A hold ends when this
   * instance reports its permits as spent, when it gives them up, or when {@code lease} expires. On
   * expiry all of its permits count as spent.
   *
   * <p>A state that another limit wrote is converted only if there is a charge to decide. Otherwise
   * the state is unchanged, and no permits are held.
   *
   * @param charge the charge to decide; of cost 0 to decide none
   * @param usage the usage of the hold that the last reply granted
   * @param want how many permits to hold from now on; fewer are held if fewer remain
   * @param lease the lifetime of the hold, in microseconds of the store's clock
   */
  CompletionStage<HoldResult> hold(Charge charge, Usage usage, long want, long lease);

  /**
   * Charges permits that have already been spent, even beyond the limit, and returns the resulting
   * state. A state that another limit wrote is unchanged.
   *
   * @param charge the spent permits; of cost 0 to read the state only
   */
  CompletionStage<ReportResult> report(Charge charge);

  /**
   * The reply to {@link #hold}.
   *
   * @param outcome the limit's outcome for the charge; its remaining permits exclude all holds
   * @param held how many permits this instance may spend until the lease expires. If this is less
   *     than it wanted although permits remain, then the store has no room for another holder or a
   *     state of another limit: the store has to decide each request.
   * @param until when the lease expires, by the store's clock
   */
  record HoldResult(Outcome outcome, long held, long until) {}

  /**
   * The reply to {@link #report}.
   *
   * @param state the counter's state, as its current limit represents it
   * @param now the time by the store's clock
   * @param counted whether the report was charged. If not, the state is of another limit, and the
   *     store has to decide the next request, which converts the state.
   */
  record ReportResult(State state, long now, boolean counted) {}
}
