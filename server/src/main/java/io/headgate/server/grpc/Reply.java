package io.headgate.server.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.MessageSizeOverflowException;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call and its answer, which is given once, whatever goes wrong.
 *
 * <p>Messages come as bytes and are parsed here: left to itself, Vert.x resets the stream of one
 * that it can't read, and the client would not learn why.
 */
final class Reply<A> {
  private static final Logger LOG = LoggerFactory.getLogger(Reply.class);
  private static final String PLAIN = "identity";

  private final GrpcServerRequest<Buffer, A> call;
  private final GrpcServerResponse<Buffer, A> response;
  private boolean given;

  Reply(GrpcServerRequest<Buffer, A> call) {
    this.call = call;
    this.response = call.response();
    call.exceptionHandler(gone -> given = true);
    call.errorHandler(cancelled -> given = true);
    call.invalidMessageHandler(invalid ->
        fail(
            invalid instanceof MessageSizeOverflowException
                ? GrpcStatus.RESOURCE_EXHAUSTED
                : GrpcStatus.INVALID_ARGUMENT,
            "a message may have at most %d bytes".formatted(GrpcApi.LONGEST_MESSAGE)));
  }

  /**
   * Uses each message that comes. A compressed one is refused unread: what it would unpack to is
   * bounded by nothing.
   */
  <M> void receive(Parser<M> parser, Consumer<M> use) {
    String encoding = call.encoding();
    if (encoding != null && !encoding.equals(PLAIN)) {
      fail(GrpcStatus.UNIMPLEMENTED, "messages must not be compressed, got " + encoding);
      return;
    }
    call.handler(bytes -> guarded(() -> use.accept(parsed(parser, bytes))));
  }

  private <M> M parsed(Parser<M> parser, Buffer bytes) {
    try {
      return parser.parseFrom(bytes.getBytes());
    } catch (InvalidProtocolBufferException e) {
      throw BadCall.invalid("this is not a message of " + call.fullMethodName());
    }
  }

  boolean isGiven() {
    return given;
  }

  void send(A message) {
    if (given) return;
    given = true;
    response.end(message);
  }

  /** One of several messages. */
  void write(A message) {
    if (given) return;
    var unused = response.write(message);
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
