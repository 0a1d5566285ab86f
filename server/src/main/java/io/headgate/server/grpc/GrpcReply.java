package io.headgate.server.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.headgate.server.trace.Trace;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.MessageSizeOverflowException;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.ArrayList;
import java.util.List;
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
final class GrpcReply<A> {
  private static final Logger LOG = LoggerFactory.getLogger(GrpcReply.class);
  private static final String PLAIN = "identity";

  private final GrpcServerRequest<Buffer, A> call;
  private final GrpcServerResponse<Buffer, A> response;
  private final Trace trace;
  private Runnable tooLong = this::failTooLong;
  private boolean given;

  GrpcReply(GrpcServerRequest<Buffer, A> call) {
    this(call, Trace.NONE);
  }

  /**
   * @param trace is told how the call ends
   */
  GrpcReply(GrpcServerRequest<Buffer, A> call, Trace trace) {
    this.call = call;
    this.response = call.response();
    this.trace = trace;
    call.exceptionHandler(gone -> gone());
    call.errorHandler(cancelled -> gone());
    response.exceptionHandler(gone -> gone()); // also after all of the call has come
    call.invalidMessageHandler(invalid -> {
      if (invalid instanceof MessageSizeOverflowException) tooLong.run();
      else fail(GrpcStatus.INVALID_ARGUMENT, "this is not a message of " + call.fullMethodName());
    });
  }

  /** Replaces the answer to a message that is too long, which is an error by default. */
  void whenTooLong(Runnable then) {
    tooLong = then;
  }

  private void failTooLong() {
    fail(
        GrpcStatus.RESOURCE_EXHAUSTED,
        "a message may have at most %d bytes".formatted(GrpcApi.LONGEST_MESSAGE));
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
    call.handler(bytes -> {
      if (!given) guarded(() -> use.accept(parsed(parser, bytes)));
    });
  }

  /** Uses the message of a call that must have one, once it is known that there is no other. */
  <M> void receiveOne(Parser<M> parser, Consumer<M> use) {
    var messages = new ArrayList<M>(1);
    call.endHandler(end -> {
      if (!given) guarded(() -> use.accept(only(messages)));
    });
    receive(
        parser,
        message -> {
          if (!messages.isEmpty()) throw wrongCount("more than one");
          messages.add(message);
        });
  }

  private <M> M only(List<M> messages) {
    if (messages.isEmpty()) throw wrongCount("none");
    return messages.getFirst();
  }

  private GrpcException wrongCount(String got) {
    return GrpcException.invalid(
        "a call of %s must have one message, got %s".formatted(call.fullMethodName(), got));
  }

  private <M> M parsed(Parser<M> parser, Buffer bytes) {
    try {
      return parser.parseFrom(bytes.getBytes());
    } catch (InvalidProtocolBufferException e) {
      throw GrpcException.invalid("this is not a message of " + call.fullMethodName());
    }
  }

  private void gone() {
    if (given) return;
    given = true;
    trace.gone();
  }

  void send(A message) {
    if (given) return;
    given = true;
    trace.returned(GrpcStatus.OK.name());
    response.end(message);
  }

  /** One of several messages. The next one of the client is read when this one has been sent. */
  void write(A message) {
    if (given) return;
    call.pause();
    response.write(message).onComplete(sent -> call.resume());
  }

  /** Whether the call has ended, or its client has gone. */
  boolean isGiven() {
    return given;
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
    trace.returned(status.name());
    response.status(status).statusMessage(reason).end();
  }

  void guarded(Runnable work) {
    try {
      work.run();
    } catch (GrpcException e) {
      fail(e.status(), e.reason());
    } catch (RuntimeException e) {
      String id = UUID.randomUUID().toString();
      LOG.error("call failed, id {}", id, e);
      fail(GrpcStatus.INTERNAL, "something went wrong here; the service's log says more, id " + id);
    }
  }
}
