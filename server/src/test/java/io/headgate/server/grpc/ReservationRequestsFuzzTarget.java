package io.headgate.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headgate.Costs;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.server.grpc.proto.ReserveRequest;
import io.headgate.server.grpc.proto.UpdateRequest;
import io.vertx.grpc.common.GrpcStatus;

/**
 * Every message of the reservation service is mapped without loss or rejected as INVALID_ARGUMENT,
 * with a short reason. The input is read as a message of two methods.
 */
public final class ReservationRequestsFuzzTarget {
  private static final int MAX_REASON = 500;

  public static void fuzzerTestOneInput(byte[] input) {
    try {
      reserve(ReserveRequest.parseFrom(input));
    } catch (InvalidProtocolBufferException e) {
      // Not a message: rejected before the mapping.
    }
    try {
      update(UpdateRequest.parseFrom(input));
    } catch (InvalidProtocolBufferException e) {
      // As above.
    }
  }

  private static void reserve(ReserveRequest message) {
    try {
      var request = ReservationRequests.request(message.getSubjectMap(), message.getCosts());
      assertThat(request.subject().attributes()).isEqualTo(message.getSubjectMap());
      assertThat(request.costs()).isEqualTo(message.getCosts().getNamedMap());
      assertThat(request.cost())
          .isEqualTo(message.getCosts().hasCost() ? message.getCosts().getCost() : 1);
      var ttl = ReservationRequests.ttl(message.getTtlMs());
      assertThat(ttl).isBetween(ReservationSettings.MIN_TTL, ReservationSettings.MAX_TTL);
    } catch (GrpcException e) {
      requireReason(e);
    }
  }

  private static void update(UpdateRequest message) {
    try {
      requireValid(ReservationRequests.reported("used", message.getUsed()));
      requireValid(ReservationRequests.costs("more", message.getMore()));
    } catch (GrpcException e) {
      requireReason(e);
    }
  }

  private static void requireValid(Costs costs) {
    costs.named().values().forEach(cost -> assertThat(cost).isBetween(0L, Request.MAX_COST));
    costs.plain().ifPresent(cost -> assertThat(cost).isBetween(0L, Request.MAX_COST));
  }

  private static void requireReason(GrpcException rejection) {
    assertThat(rejection.status()).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    assertThat(rejection.reason()).isNotBlank().hasSizeLessThan(MAX_REASON);
  }

  private ReservationRequestsFuzzTarget() {}
}
