package io.headgate.store;

import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Outcome;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import java.util.concurrent.CompletionStage;

/**
 * What a store that several instances share does for those that decide by themselves. Both are
 * asked of one counter whose limit is {@link io.headgate.limit.Holdable}, and fail with a {@link
 * StoreException}.
 */
public interface HoldingStore {
  /**
   * Decides a charge as any other, and then holds permits for this instance alone.
   *
   * <p>What is held is neither charged nor to be had by others, until this instance says that it
   * has spent it, or that it wants it no more, or {@code lease} is over: then it counts as spent.
   *
   * <p>A state that another limit wrote is converted only if there is a charge to decide. Otherwise
   * it stays as it is, and nothing is held.
   *
   * @param charge of cost 0 if nothing is to be decided
   * @param usage of the hold that the last answer granted
   * @param want how many to hold from now on; fewer are held if there are not so many
   * @param lease how long, in microseconds of the store's clock
   */
  CompletionStage<Taken> take(Charge charge, Usage usage, long want, long lease);

  /**
   * Charges what has been spent already, room or not, and says what is known then. A state that
   * another limit wrote stays as it is.
   *
   * @param charge of cost 0 to know only
   */
  CompletionStage<Known> report(Charge charge);

  /**
   * @param outcome what the limit says to the charge; nothing remains of what anybody holds
   * @param held how many permits this instance may spend now, until the lease is over. If that is
   *     less than it wanted although some remain, the store has no room for another holder or a
   *     state of another limit: requests are then to be decided by the store.
   * @param until when the lease is over, by the store's clock
   */
  record Taken(Outcome outcome, long held, long until) {}

  /**
   * @param state of the counter, in its own limit's terms
   * @param now the time by the store's clock
   * @param counted whether the report was charged. If not, the state is of another limit, and the
   *     next request is to be decided by the store, which converts it.
   */
  record Known(State state, long now, boolean counted) {}
}
