package io.headgate.server.grpc;

import io.vertx.grpc.common.GrpcStatus;

/** Ends a call that can't be served. Has no stack trace: it is no failure. */
final class BadCall extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final GrpcStatus status;
  private final String reason;

  BadCall(GrpcStatus status, String reason) {
    super(reason, null, false, false);
    this.status = status;
    this.reason = reason;
  }

  static BadCall invalid(String reason) {
    return new BadCall(GrpcStatus.INVALID_ARGUMENT, reason);
  }

  GrpcStatus status() {
    return status;
  }

  String reason() {
    return reason;
  }
}
