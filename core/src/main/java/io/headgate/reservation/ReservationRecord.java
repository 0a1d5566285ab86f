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

  /**
   * Returns whether a store has this record and it is open. A record that {@link #open} made for a
   * reservation without one has no ledgers.
   */
  public boolean isStoredOpen() {
    return status == ReservationReply.Status.OPEN && !ledgers.isEmpty();
  }

  /**
   * Returns the time until which a store keeps the record, in microseconds. That of an open
   * reservation is kept until time has returned its charges, so that a late sweep can end it.
   *
   * @param now the time at which the record was changed
   */
  public long keptUntil(long now) {
    long until = Math.max(now, expiresAt);
    if (status == ReservationReply.Status.OPEN) {
      for (var ledger : ledgers.values()) {
        for (var piece : ledger.pieces()) until = Math.max(until, piece.freshAt());
      }
    }
    return until + ReservationCommand.KEPT_MICROS;
  }

  /** Returns the record of a reservation that has none yet. */
  public static ReservationRecord open(long expiresAt) {
    return new ReservationRecord(ReservationReply.Status.OPEN, expiresAt, Map.of());
  }
}
