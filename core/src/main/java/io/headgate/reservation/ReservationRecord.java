package io.headgate.reservation;

import java.util.Map;

/**
 * The state of one reservation in a store, beside its counters.
 *
 * @param status open, settled or expired
 * @param expiresAt the time at which it expires, in microseconds
 * @param ledgers the charges by the index of their counter. A counter that no operation has changed
 *     may be missing
 */
public record ReservationRecord(
    ReservationReply.Status status, long expiresAt, Map<Integer, Ledger> ledgers) {
  /** Copies the map. */
  public ReservationRecord {
    ledgers = Map.copyOf(ledgers);
  }

  /** Returns the record of a new reservation. */
  public static ReservationRecord open(long expiresAt) {
    return new ReservationRecord(ReservationReply.Status.OPEN, expiresAt, Map.of());
  }
}
