package io.headgate.internal.consistency;

import io.headgate.limit.Outcome;
import io.headgate.rule.Charge;
import io.headgate.store.Source;
import org.jspecify.annotations.Nullable;

/**
 * The local state of one shared counter, from which an instance decides. Times are values of {@code
 * System.nanoTime}. Implementations are thread-safe.
 *
 * <p>Every charge has the limit that is now in force. A local counter compares it with the limit of
 * the previous charge. If it has changed, the counter converts its state, and reports under the new
 * limit from then on.
 */
sealed interface LocalCounter permits PermitLease, LocalCopy {
  /**
   * Decides the charge locally, and charges it if it passes.
   *
   * @return the outcome, or null if only the store can decide
   */
  @Nullable Outcome spend(Charge charge, long now);

  /** Returns the number of reports prepared so far, as an argument of {@link #refund}. */
  int reportCount();

  /**
   * Undoes a charge that {@link #spend} let pass, unless it has been reported since. A reported
   * charge stays, since the store has it already.
   *
   * @param reportCount the value of {@link #reportCount} before the charge
   */
  void refund(long cost, int reportCount);

  /** Returns the outcome of a charge of cost 0. */
  Outcome peek(long now);

  /** Returns the source of a decision with this outcome. */
  Source source(Outcome outcome);

  /**
   * Records that the store refused a charge, so that repeated requests are denied locally.
   *
   * @param sent when the request was sent to the store
   */
  void storeRefused(Charge charge, Outcome.Refused refused, DenialCache.Sent sent, long now);

  /** Returns a charge of cost 0, under the limit of the last charge. */
  Charge chargeAtZeroCost();

  /** Returns whether nothing is left to report or release, so that the counter may be dropped. */
  boolean isSettled();

  /** Marks the counter as queued in a {@link SyncQueue}; returns false if it already is. */
  boolean markQueued();

  /** Marks the counter as not queued; returns false if it was not. */
  boolean clearQueued();
}
