package io.headgate.server.grpc;

import io.headgate.server.metrics.UnansweredCalls;
import io.headgate.server.metrics.UnansweredCalls.Reason;
import io.vertx.grpc.common.GrpcStatus;

/**
 * Counts the rate limit calls of one event loop that end without a decision, each once. Not
 * thread-safe.
 */
final class CallEnds {
  private final UnansweredCalls calls;
  private boolean refusing;

  CallEnds(UnansweredCalls calls) {
    this.calls = calls;
  }

  /** Counts a call that its client has cancelled, or that ends because it is refused. */
  void cancelled() {
    if (!refusing) calls.count(Reason.CANCELLED);
  }

  /** Counts a call that ends with a status. */
  void failed(GrpcStatus status) {
    calls.count(reason(status));
  }

  /** Counts a call without a decision at its deadline. */
  void expired() {
    calls.count(Reason.DEADLINE);
  }

  /**
   * Counts a call that is refused before its handler has the message.
   *
   * @param end notifies the handler as if the client had cancelled the call
   */
  void refused(GrpcStatus status, Runnable end) {
    calls.count(status == GrpcStatus.RESOURCE_EXHAUSTED ? Reason.REFUSED : Reason.REJECTED);
    refusing = true;
    try {
      end.run();
    } finally {
      refusing = false;
    }
  }

  private static Reason reason(GrpcStatus status) {
    return switch (status) {
      case UNAVAILABLE -> Reason.UNAVAILABLE;
      case DEADLINE_EXCEEDED -> Reason.DEADLINE;
      case RESOURCE_EXHAUSTED -> Reason.REFUSED;
      case INTERNAL, UNKNOWN -> Reason.ERROR;
      default -> Reason.REJECTED;
    };
  }
}
