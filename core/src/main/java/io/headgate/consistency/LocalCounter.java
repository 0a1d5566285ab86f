package io.headgate.consistency;

import io.headgate.limit.Outcome;
import io.headgate.rule.Charge;
import io.headgate.store.Source;
import org.jspecify.annotations.Nullable;

/**
 * What is known here of one counter. Times are of {@code nanoTime}.
 *
 * <p>Every charge brings the limit now in force with it. A counter compares it with the limit it
 * used last, converts what it has if that has changed, and reports under the new limit from then
 * on.
 */
sealed interface LocalCounter permits PermitLease, LocalCopy {
  /**
   * Spends the charge if it can be had here; null if only the store can tell.
   *
   * @return that it passed, and then it is charged; or that it is refused, which is known here
   */
  @Nullable Outcome spend(Charge charge, long now);

  /** How often the store has been told what was spent here. */
  int tellings();

  /**
   * Takes back a charge that {@link #spend} let pass, unless the store has been told of it: it
   * stays charged then, or what is spent later would have been charged too soon.
   *
   * @param tellings how often it had been told before the charge was made
   */
  void giveBack(long cost, int tellings);

  /** How things stand, for a charge that is not made. */
  Outcome standing(long now);

  /** What an answer of this counter rests on. */
  Source source(Outcome outcome);

  /** Notes that the store has refused a charge, so that it need not be asked again too soon. */
  void refused(Charge charge, Outcome.Refused refused, long now);

  /** A charge of no cost under the limit that was last in force here. */
  Charge look();

  /** Whether the store has nothing to learn from it, so that it may be dropped. */
  boolean isSettled();

  /** Marks that it waits to be sent to the store; false if it does so already. */
  boolean enqueue();

  /** It no longer waits to be sent. */
  void dequeue();
}
