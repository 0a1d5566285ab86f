package io.headgate.server.http.check;

import io.headgate.Costs;
import io.headgate.HeldPermits;
import io.headgate.Reservation;
import io.headgate.ReservationState;
import io.headgate.ReservedLimit;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.check.ReservationAmounts;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/** Writes reservations as JSON, in the documented order of fields. */
final class ReservationJson {
  private ReservationJson() {}

  /** Writes a reservation that was made: the decision, with its id, amounts and expiry. */
  static void write(JsonWriter out, Reservation reservation, List<String> unused) {
    out.begin();
    reservation.id().ifPresent(id -> out.name("id").value(id));
    CheckResultJson.writeFields(out, reservation.result(), 0, false);
    CheckResultJson.writeUnused(out, unused);
    write(out.name("reserved"), ReservationAmounts.charged(reservation.limits()));
    if (reservation.limits().stream().anyMatch(ReservedLimit::isClamped)) {
      write(out.name("requested"), ReservationAmounts.requested(reservation.limits()));
    }
    reservation.expiresAt().ifPresent(expiry -> out.name("expiresAtMs").value(millis(expiry)));
    out.end();
  }

  /**
   * Writes the state after an update.
   *
   * @param used the usage that the client reported
   */
  static void writeUpdate(JsonWriter out, ReservationState state, Costs used) {
    out.begin().name("continue").value(state.mayContinue()).name("status").value(status(state));
    if (state instanceof ReservationState.Open open) {
      write(out.name("reserved"), ReservationAmounts.unused(open.limits(), used));
      out.name("grown").value(open.grown());
      out.name("expiresAtMs").value(millis(open.expiresAt()));
    }
    if (state instanceof ReservationState.Expired expired) {
      write(out.name("charged"), ReservationAmounts.charged(expired.limits()));
    }
    if (state instanceof ReservationState.Settled settled) {
      write(out.name("charged"), ReservationAmounts.charged(settled.limits()));
    }
    out.end();
  }

  /**
   * Writes the state after a settlement: the same for every repetition.
   *
   * @param actual the costs that the client reported
   */
  static void writeSettlement(JsonWriter out, ReservationState state, Costs actual) {
    out.begin();
    if (state instanceof ReservationState.Settled settled) {
      write(out.name("charged"), ReservationAmounts.charged(settled.limits()));
      write(out.name("returned"), ReservationAmounts.returned(settled.limits()));
      CheckResultJson.writeUnused(out, ReservationAmounts.unspent(settled.limits(), actual));
    }
    out.name("status").value(status(state)).end();
  }

  /** Writes the open reservations of one counter, with its used and free permits. */
  static void write(JsonWriter out, HeldPermits.Usage usage) {
    out.begin();
    writeFields(out, usage);
    out.end();
  }

  /** Writes the open reservations of a counter, with its rule and key. */
  static void write(JsonWriter out, HeldPermits.Usage usage, CallerMask mask) {
    out.begin().name("rule").value(usage.held().rule());
    out.name("key").value(mask.value(usage.held().key()));
    writeFields(out, usage);
    out.end();
  }

  private static void writeFields(JsonWriter out, HeldPermits.Usage usage) {
    out.name("limit").value(usage.held().limit());
    out.name("open").value(usage.held().reservations());
    out.name("held").value(usage.held().permits());
    out.name("used").value(usage.used());
    out.name("free").value(usage.remaining());
    out.name("complete").value(usage.held().complete());
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

  private static void write(JsonWriter out, SortedMap<String, Long> amounts) {
    out.begin();
    amounts.forEach((cost, permits) -> out.name(cost).value(permits));
    out.end();
  }

  private static long millis(Instant time) {
    return time.toEpochMilli();
  }
}
