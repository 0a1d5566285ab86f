package io.headgate;

import java.util.Optional;

/**
 * One limit of a reservation.
 *
 * @param rule the id of the rule
 * @param limit the name of the limit within the rule
 * @param cost the named cost that the limit spends; empty for the plain cost
 * @param requested the estimate. For an operation by id, the amount that was reserved at first with
 *     the permits that updates have added
 * @param charged the permits that are charged for the reservation now: the granted amount while it
 *     is open, the real cost once it is settled
 * @param remaining the permits that the limit has left for other requests
 * @param correctable whether the charge follows the real cost. False for a slot, for a leaky
 *     bucket, a rolling window and a limit that is shared fairly, which are charged as reserved,
 *     and for a limit that was changed since the reservation, or counts in another place
 */
public record ReservedLimit(
    String rule,
    String limit,
    Optional<String> cost,
    long requested,
    long charged,
    long remaining,
    boolean correctable) {
  /**
   * Returns whether the estimate of a new reservation was higher than the rule allows, and was
   * reduced.
   */
  public boolean isClamped() {
    return charged < requested;
  }
}
