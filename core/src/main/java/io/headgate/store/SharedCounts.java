package io.headgate.store;

import io.headgate.limit.Outcome;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import java.util.concurrent.CompletionStage;

/**
 * What a store that several instances share does for those that decide by themselves. Both are
 * asked of one counter whose limit is {@link io.headgate.limit.Divisible}, and fail with a {@link
 * StoreException}.
 */
public interface SharedCounts {
  /**
   * Decides a charge as any other, and then holds permits for this instance alone.
   *
   * <p>What is held is neither charged nor to be had by others, until this instance says that it
   * has spent it, or that it wants it no more, or {@code lease} is over: then it counts as spent.
   *
   * @param charge of cost 0 if nothing is to be decided
   * @param spent how many of those held have been spent since the last time this was said
   * @param want how many to hold from now on; fewer are held if there are not so many
   * @param lease how long, in microseconds of the store's clock
   */
  CompletionStage<Taken> take(Charge charge, long spent, long want, long lease);

  /**
   * Charges what has been spent already, room or not, and says what is known then.
   *
   * @param charge of cost 0 to know only
   */
  CompletionStage<Known> report(Charge charge);

  /**
   * @param outcome what the limit says to the charge; nothing remains of what anybody holds
   * @param held how many permits this instance may spend now, until the lease is over
   */
  record Taken(Outcome outcome, long held) {}

  /**
   * @param state of the counter, in its own limit's terms
   * @param now the time by the store's clock
   */
  record Known(State state, long now) {}
}
