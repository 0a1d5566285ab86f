package io.headgate.reservation;

import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation on one reservation.
 *
 * @param nonce identifies the reservation: unguessable, and unique for all time
 * @param token the id that the client has, under which the store lists open reservations
 * @param expiresAt the expiry that the reservation began with, in microseconds of the store's clock
 * @param action the operation
 * @param ttl for an update, the time by which it extends the reservation, in microseconds; 0 to
 *     leave the expiry as it is
 * @param entries the counters, in the order of their indexes. Counters whose rules no longer exist
 *     are missing
 */
public record ReservationCommand(
    String nonce, String token, long expiresAt, Action action, long ttl, List<Entry> entries) {
  /** The time for which the answer of an ended reservation is kept, in microseconds. */
  public static final long KEPT_MICROS = 600_000_000;

  /** The value of {@code target} for a counter whose cost the client did not report. */
  public static final long UNREPORTED = Ledger.UNREPORTED;

  /** The operations on a reservation. */
  public enum Action {
    /** Records usage, may grow the reservation, and extends it. */
    UPDATE,
    /** Charges the real cost and ends the reservation. */
    SETTLE,
    /** Ends the reservation if it has expired. */
    EXPIRE
  }

  /**
   * One counter of the reservation.
   *
   * @param target the usage so far or the real cost; {@link #UNREPORTED} leaves the charge as it is
   * @param more for an update, the permits to add to the reservation
   */
  public record Entry(ReservedCharge reserved, long target, long more) {}

  /** Copies the list. */
  public ReservationCommand {
    entries = List.copyOf(entries);
  }

  /**
   * Returns the operation that stores the record of a new reservation and changes nothing else, so
   * that a sweep which comes too late can tell it from one that was settled. Counters whose charges
   * are never corrected are left out.
   *
   * @return null if no charge can be corrected
   */
  public static @Nullable ReservationCommand opening(
      String nonce, String token, long expiresAt, List<ReservedCharge> charges) {
    var entries =
        charges.stream()
            .filter(made -> ReservationStep.isCorrectable(made.charge().limit()))
            .map(made -> new Entry(made, UNREPORTED, 0))
            .toList();
    if (entries.isEmpty()) return null;
    return new ReservationCommand(nonce, token, expiresAt, Action.UPDATE, 0, entries);
  }

  /** Returns the same command for some of the counters. */
  public ReservationCommand with(List<Entry> some) {
    return new ReservationCommand(nonce, token, expiresAt, action, ttl, some);
  }

  /**
   * Returns the record that the reservation would have if it had been recorded when it was made.
   */
  public ReservationRecord opened() {
    var ledgers = new HashMap<Integer, Ledger>();
    for (var entry : entries) ledgers.put(entry.reserved().index(), Ledger.of(entry.reserved()));
    return new ReservationRecord(ReservationReply.Status.OPEN, expiresAt, ledgers);
  }

  /**
   * Returns whether the reservation was made without permits in any of its counters, so that no
   * record was made for it.
   */
  public boolean isUnrecorded() {
    return !entries.isEmpty()
        && entries.stream().allMatch(entry -> entry.reserved().charge().cost() == 0);
  }

  /** Returns whether the command asks for more permits. */
  public boolean grows() {
    return entries.stream().anyMatch(entry -> entry.more > 0);
  }
}
