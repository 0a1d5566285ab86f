package io.headgate.reservation;

import io.headgate.rule.Charge;

/**
 * One counter of a reservation, with the charge that was made for it.
 *
 * @param index the position among the counters of the reservation
 * @param charge the counter by the present rules, the key, and the reserved number of permits
 * @param at the time of the charge by the store's clock, in microseconds
 * @param freshAt the time at which the counter would be fresh without later charges
 * @param sameLimit whether the present limit is the one that was reserved, and counts where it did
 * @param maxAmount the largest number of permits that the reservation may hold of the limit
 * @param onExpiry the charge if the reservation expires
 */
public record ReservedCharge(
    int index,
    Charge charge,
    long at,
    long freshAt,
    boolean sameLimit,
    long maxAmount,
    ExpiryCharge onExpiry) {
  /** The charge of one counter when its reservation expires. */
  public enum ExpiryCharge {
    /** The last report; nothing if there is none. */
    USED,
    /** The last report; the reserved amount if there is none. */
    USED_OR_RESERVED,
    /** The reserved amount. */
    RESERVED,
    /** Nothing. */
    NOTHING
  }

  /** Returns the charge of a ledger that expires. */
  long chargeAtExpiry(Ledger ledger) {
    boolean reported = ledger.used() != Ledger.UNREPORTED;
    return switch (onExpiry) {
      case USED -> reported ? ledger.used() : 0;
      case USED_OR_RESERVED -> reported ? ledger.used() : ledger.total();
      case RESERVED -> Math.max(ledger.total(), ledger.used());
      case NOTHING -> 0;
    };
  }
}
