package io.headgate.server.grpc;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.headgate.server.grpc.proto.CancelRequest;
import io.headgate.server.grpc.proto.CancelResponse;
import io.headgate.server.grpc.proto.CostAmounts;
import io.headgate.server.grpc.proto.ReportUsageRequest;
import io.headgate.server.grpc.proto.ReportUsageResponse;
import io.headgate.server.grpc.proto.ReserveRequest;
import io.headgate.server.grpc.proto.ReserveResponse;
import io.headgate.server.grpc.proto.SettleRequest;
import io.headgate.server.grpc.proto.SettleResponse;
import io.headgate.server.grpc.proto.UpdateRequest;
import io.headgate.server.grpc.proto.UpdateResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Calls the reservation service over a channel of grpc-java.
 *
 * @param options the credentials and the deadline of each call
 */
record ReservationClient(Channel channel, CallOptions options, Duration deadline) {
  /** Exceeds the duration of any call, so that reaching it means there is no response. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  static ReservationClient of(GrpcService service) {
    return new ReservationClient(service.envoy.channel(), CallOptions.DEFAULT, PATIENCE);
  }

  ReservationClient over(Channel other) {
    return new ReservationClient(other, options, deadline);
  }

  ReservationClient within(Duration other) {
    return new ReservationClient(channel, options, other);
  }

  ReserveResponse reserve(ReserveRequest request) {
    return call("Reserve", request, ReserveResponse.getDefaultInstance());
  }

  ReserveResponse reserve(String team, long tokens) {
    return reserve(reservation(team, tokens).build());
  }

  static ReserveRequest.Builder reservation(String team, long tokens) {
    return ReserveRequest.newBuilder().putSubject("team", team).setCosts(tokens(tokens));
  }

  UpdateResponse update(UpdateRequest.Builder request) {
    return call("Update", request.build(), UpdateResponse.getDefaultInstance());
  }

  UpdateResponse update(String id, long tokens) {
    return update(UpdateRequest.newBuilder().setId(id).setUsed(tokens(tokens)));
  }

  SettleResponse settle(String id, long tokens) {
    return settle(SettleRequest.newBuilder().setId(id).setActual(tokens(tokens)));
  }

  SettleResponse settle(SettleRequest.Builder request) {
    return call("Settle", request.build(), SettleResponse.getDefaultInstance());
  }

  CancelResponse cancel(String id) {
    var request = CancelRequest.newBuilder().setId(id).build();
    return call("Cancel", request, CancelResponse.getDefaultInstance());
  }

  ReportUsageResponse reportUsage(String team, long tokens) {
    var request =
        ReportUsageRequest.newBuilder().putSubject("team", team).setCosts(tokens(tokens)).build();
    return call("ReportUsage", request, ReportUsageResponse.getDefaultInstance());
  }

  static CostAmounts tokens(long tokens) {
    return CostAmounts.newBuilder().putAllNamed(Map.of("tokens", tokens)).build();
  }

  private <Q extends Message, A extends Message> A call(String name, Q request, A response) {
    @SuppressWarnings("unchecked")
    var empty = (Q) request.getDefaultInstanceForType();
    var method =
        MethodDescriptor.<Q, A>newBuilder()
            .setType(MethodType.UNARY)
            .setFullMethodName(ReservationService.NAME + "/" + name)
            .setRequestMarshaller(ProtoUtils.marshaller(empty))
            .setResponseMarshaller(ProtoUtils.marshaller(response))
            .build();
    return ClientCalls.blockingUnaryCall(
        channel,
        method,
        options.withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS),
        request);
  }
}
