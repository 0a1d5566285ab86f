package io.headgate.server.grpc;

import io.headgate.CheckResult;
import io.headgate.Costs;
import io.headgate.Reservation;
import io.headgate.ReservationState;
import io.headgate.ReservedLimit;
import io.headgate.server.check.ReservationAmounts;
import io.headgate.server.grpc.proto.CancelResponse;
import io.headgate.server.grpc.proto.CostAmounts;
import io.headgate.server.grpc.proto.LimitState;
import io.headgate.server.grpc.proto.ReportUsageResponse;
import io.headgate.server.grpc.proto.ReservationStatus;
import io.headgate.server.grpc.proto.ReserveResponse;
import io.headgate.server.grpc.proto.SettleResponse;
import io.headgate.server.grpc.proto.UpdateResponse;
import java.util.List;
import java.util.Map;

/** Builds the messages of the reservation service. */
final class ReservationResponses {
  private ReservationResponses() {}

  static ReserveResponse reserved(Reservation reservation, List<String> unused) {
    var limits = reservation.limits();
    var response =
        ReserveResponse.newBuilder()
            .setId(reservation.id().orElseThrow())
            .setReserved(amounts(ReservationAmounts.charged(limits)))
            .setExpiresAtMs(reservation.expiresAt().orElseThrow().toEpochMilli())
            .addAllLimits(states(limits))
            .addAllUnusedCosts(unused);
    if (limits.stream().anyMatch(ReservedLimit::isClamped)) {
      response.setRequested(amounts(ReservationAmounts.requested(limits)));
    }
    return response.build();
  }

  static UpdateResponse updated(ReservationState state, Costs used) {
    var response =
        UpdateResponse.newBuilder().setMayContinue(state.mayContinue()).setStatus(status(state));
    switch (state) {
      case ReservationState.Open open ->
          response
              .setReserved(amounts(ReservationAmounts.unused(open.limits(), used)))
              .setGrown(open.grown())
              .setExpiresAtMs(open.expiresAt().toEpochMilli())
              .addAllLimits(states(open.limits()));
      case ReservationState.Settled(var limits) ->
          response
              .setCharged(amounts(ReservationAmounts.charged(limits)))
              .addAllLimits(states(limits));
      case ReservationState.Expired(var limits) ->
          response
              .setCharged(amounts(ReservationAmounts.charged(limits)))
              .addAllLimits(states(limits));
      case ReservationState.Local local -> {}
      case ReservationState.Unknown unknown -> {}
    }
    return response.build();
  }

  static SettleResponse settled(ReservationState state, Costs actual) {
    var response = SettleResponse.newBuilder().setStatus(status(state));
    if (state instanceof ReservationState.Settled(var limits)) {
      response
          .setCharged(amounts(ReservationAmounts.charged(limits)))
          .setReturned(amounts(ReservationAmounts.returned(limits)))
          .addAllLimits(states(limits))
          .addAllUnusedCosts(ReservationAmounts.unspent(limits, actual));
    }
    return response.build();
  }

  static CancelResponse cancelled(ReservationState state) {
    return CancelResponse.newBuilder().setStatus(status(state)).build();
  }

  static ReportUsageResponse charged(CheckResult result, List<String> unused) {
    var response = ReportUsageResponse.newBuilder().addAllUnusedCosts(unused);
    for (var limit : result.limits()) {
      response.addLimits(
          LimitState.newBuilder()
              .setRule(limit.rule())
              .setLimit(limit.name())
              .setRemaining(limit.remaining()));
    }
    return response.build();
  }

  private static ReservationStatus status(ReservationState state) {
    return switch (state) {
      case ReservationState.Open open -> ReservationStatus.OPEN;
      case ReservationState.Settled settled -> ReservationStatus.SETTLED;
      case ReservationState.Expired expired -> ReservationStatus.EXPIRED;
      case ReservationState.Local local -> ReservationStatus.LOCAL;
      case ReservationState.Unknown unknown -> ReservationStatus.RESERVATION_STATUS_UNSPECIFIED;
    };
  }

  private static CostAmounts amounts(Map<String, Long> byCost) {
    var amounts = CostAmounts.newBuilder();
    byCost.forEach((cost, permits) -> {
      if (cost.equals(ReservationAmounts.PLAIN)) amounts.setCost(permits);
      else amounts.putNamed(cost, permits);
    });
    return amounts.build();
  }

  private static List<LimitState> states(List<ReservedLimit> limits) {
    return limits.stream()
        .map(limit ->
            LimitState.newBuilder()
                .setRule(limit.rule())
                .setLimit(limit.limit())
                .setCost(limit.cost().orElse(""))
                .setCharged(limit.charged())
                .setRemaining(limit.remaining())
                .setCorrectable(limit.correctable())
                .build())
        .toList();
  }
}
