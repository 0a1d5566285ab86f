package io.headgate.reservation;

import java.util.List;

/**
 * The reply of a store to a {@link ReservationCommand}.
 *
 * @param status the status after the operation
 * @param expiresAt the time at which the reservation expires or expired, in microseconds
 * @param grown whether the requested permits were added
 * @param counters the counters, in the order of the command's entries; empty if the status is
 *     {@link Status#UNKNOWN}
 */
public record ReservationReply(
    Status status, long expiresAt, boolean grown, List<CounterReply> counters) {
  /** The status of a reservation. */
  public enum Status {
    /** The store does not have it: it ended too long ago. */
    UNKNOWN,
    /** It holds permits. */
    OPEN,
    /** Its real cost is charged. */
    SETTLED,
    /** It has expired, and its charge is what the rule says. It can still be settled. */
    EXPIRED
  }

  /**
   * The state of one counter.
   *
   * @param charged the permits of the reservation that are charged
   * @param used the usage that the client last reported; {@link Ledger#UNREPORTED} for none
   * @param remaining the permits that the limit has left for others
   * @param wasExhausted whether the limit had nothing left before the operation and has now
   * @param grown the permits that updates have added to the reservation
   */
  public record CounterReply(
      long charged, long used, long remaining, boolean wasExhausted, long grown) {}

  /** The reply for a reservation that the store does not have. */
  public static final ReservationReply UNKNOWN =
      new ReservationReply(Status.UNKNOWN, 0, false, List.of());

  /** Copies the list. */
  public ReservationReply {
    counters = List.copyOf(counters);
  }
}
