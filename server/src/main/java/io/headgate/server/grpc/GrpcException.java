package io.headgate.server.grpc;

import io.vertx.grpc.common.GrpcStatus;

/** Ends a call with a gRPC status. Has no stack trace, since it reports an error of the client. */
final class GrpcException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final GrpcStatus status;
  private final String reason;

  GrpcException(GrpcStatus status, String reason) {
    super(reason, null, false, false);
    this.status = status;
    this.reason = reason;
  }

  static GrpcException invalid(String reason) {
    return new GrpcException(GrpcStatus.INVALID_ARGUMENT, reason);
  }

  GrpcStatus status() {
    return status;
  }

  String reason() {
    return reason;
  }
}
