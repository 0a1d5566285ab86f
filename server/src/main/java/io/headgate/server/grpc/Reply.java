package io.headgate.server.grpc;

import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.MessageSizeOverflowException;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The answer to one call, which is given once, whatever goes wrong. */
final class Reply<Q, A> {
  private static final Logger LOG = LoggerFactory.getLogger(Reply.class);

  private final GrpcServerResponse<Q, A> response;
  private boolean given;

  Reply(GrpcServerRequest<Q, A> call) {
    this.response = call.response();
    call.exceptionHandler(gone -> given = true);
    call.errorHandler(cancelled -> given = true);
    call.invalidMessageHandler(invalid -> {
      if (invalid instanceof MessageSizeOverflowException) {
        fail(
            GrpcStatus.RESOURCE_EXHAUSTED,
            "a message may have at most %d bytes".formatted(GrpcApi.LONGEST_MESSAGE));
      } else {
        fail(GrpcStatus.INVALID_ARGUMENT, "this is not a message of " + call.fullMethodName());
      }
    });
  }

  boolean isGiven() {
    return given;
  }

  void send(A message) {
    if (given) return;
    given = true;
    response.end(message);
  }

  /** Ends a stream of answers. */
  void end() {
    if (given) return;
    given = true;
    response.end();
  }

  void fail(GrpcStatus status, String reason) {
    if (given) return;
    given = true;
    response.status(status).statusMessage(reason).end();
  }

  void guarded(Runnable work) {
    try {
      work.run();
    } catch (BadCall e) {
      fail(e.status(), e.reason());
    } catch (RuntimeException e) {
      String id = UUID.randomUUID().toString();
      LOG.error("call failed, id {}", id, e);
      fail(GrpcStatus.INTERNAL, "something went wrong here; the service's log says more, id " + id);
    }
  }
}
