package io.headgate.server.http.check;

import io.headgate.Reservation;
import io.headgate.ReservationState;
import io.headgate.ReservedLimit;
import io.headgate.server.api.JsonWriter;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** Writes reservations as JSON, in the documented order of fields. */
final class ReservationJson {
  private ReservationJson() {}

  /** Writes a reservation that was made: the decision, with its id, amounts and expiry. */
  static void write(JsonWriter out, Reservation reservation) {
    out.begin();
    reservation.id().ifPresent(id -> out.name("id").value(id));
    CheckResultJson.writeFields(out, reservation.result(), 0, false);
    writeAmounts(out.name("reserved"), reservation.limits(), ReservedLimit::charged);
    if (reservation.limits().stream().anyMatch(ReservedLimit::isClamped)) {
      writeAmounts(out.name("requested"), reservation.limits(), ReservedLimit::requested);
    }
    reservation.expiresAt().ifPresent(expiry -> out.name("expiresAtMs").value(millis(expiry)));
    out.end();
  }

  /**
   * Writes the state after an update.
   *
   * @param used returns the usage that the client reported for a limit
   */
  static void writeUpdate(
      JsonWriter out, ReservationState state, ToLongFunction<ReservedLimit> used) {
    out.begin().name("continue").value(state.mayContinue()).name("status").value(status(state));
    if (state instanceof ReservationState.Open open) {
      writeAmounts(
          out.name("reserved"),
          open.limits(),
          limit -> Math.max(0, limit.charged() - used.applyAsLong(limit)));
      out.name("grown").value(open.grown());
      out.name("expiresAtMs").value(millis(open.expiresAt()));
    }
    if (state instanceof ReservationState.Expired expired) {
      writeAmounts(out.name("charged"), expired.limits(), ReservedLimit::charged);
    }
    if (state instanceof ReservationState.Settled settled) {
      writeAmounts(out.name("charged"), settled.limits(), ReservedLimit::charged);
    }
    out.end();
  }

  /** Writes the state after a settlement: the same for every repetition. */
  static void writeSettlement(JsonWriter out, ReservationState state) {
    out.begin();
    if (state instanceof ReservationState.Settled settled) {
      writeAmounts(out.name("charged"), settled.limits(), ReservedLimit::charged);
      writeAmounts(
          out.name("returned"),
          settled.limits(),
          limit -> Math.max(0, limit.requested() - limit.charged()));
    }
    out.name("status").value(status(state)).end();
  }

  private static String status(ReservationState state) {
    return switch (state) {
      case ReservationState.Open open -> "open";
      case ReservationState.Settled settled -> "settled";
      case ReservationState.Expired expired -> "expired";
      case ReservationState.Local local -> "local";
      case ReservationState.Unknown unknown -> "unknown";
    };
  }

  /** Writes the smallest amount of each cost; limits without a named cost spend {@code cost}. */
  private static void writeAmounts(
      JsonWriter out, List<ReservedLimit> limits, ToLongFunction<ReservedLimit> amount) {
    var amounts = new TreeMap<String, Long>();
    for (var limit : limits) {
      amounts.merge(limit.cost().orElse("cost"), amount.applyAsLong(limit), Math::min);
    }
    out.begin();
    amounts.forEach((cost, permits) -> out.name(cost).value(permits));
    out.end();
  }

  private static long millis(Instant time) {
    return time.toEpochMilli();
  }
}
