package io.headgate.reservation;

import io.headgate.reservation.ReservationReply.CounterReply;
import io.headgate.reservation.ReservationReply.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Divides an operation on a reservation whose counters can't be changed in one step, such as those
 * of two stores, and combines the replies. Such a reservation can't grow: permits would have to be
 * added to all parts or to none. Pure functions.
 */
public final class ReservationParts {
  private ReservationParts() {}

  /**
   * Returns the part of a command with some of its entries, without growth.
   *
   * @param positions the positions of the entries
   */
  public static ReservationCommand of(ReservationCommand command, List<Integer> positions) {
    return command.with(
        positions.stream()
            .map(position -> {
              var entry = command.entries().get(position);
              return new ReservationCommand.Entry(entry.reserved(), entry.target(), 0);
            })
            .toList());
  }

  /**
   * Combines the replies to the parts of a command.
   *
   * @param parts the positions of the entries of each part
   * @param replies the reply to each part
   */
  public static ReservationReply combined(
      ReservationCommand command, List<List<Integer>> parts, List<ReservationReply> replies) {
    var counters = new ArrayList<CounterReply>(Collections.nCopies(command.entries().size(), null));
    var status = Status.UNKNOWN;
    long expiresAt = Long.MAX_VALUE;
    for (int p = 0; p < parts.size(); p++) {
      var reply = replies.get(p);
      if (reply.status() != Status.UNKNOWN) {
        expiresAt = Math.min(expiresAt, reply.expiresAt());
        status = rank(reply.status()) > rank(status) ? reply.status() : status;
      }
      for (int i = 0; i < parts.get(p).size(); i++) {
        int position = parts.get(p).get(i);
        counters.set(
            position,
            reply.status() == Status.UNKNOWN
                ? asReserved(command.entries().get(position).reserved())
                : reply.counters().get(i));
      }
    }
    if (status == Status.UNKNOWN) return ReservationReply.UNKNOWN;
    return new ReservationReply(status, expiresAt, false, counters);
  }

  private static CounterReply asReserved(ReservedCharge reserved) {
    return new CounterReply(reserved.charge().cost(), ReservationCommand.UNREPORTED, 0, false, 0);
  }

  /** Orders statuses: a reservation that has ended in one part is not open in the others. */
  private static int rank(Status status) {
    return switch (status) {
      case UNKNOWN -> 0;
      case OPEN -> 1;
      case EXPIRED -> 2;
      case SETTLED -> 3;
    };
  }
}
