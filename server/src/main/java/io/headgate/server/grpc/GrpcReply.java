package io.headgate.server.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.check.CallFailure;
import io.headgate.server.check.PendingCall;
import io.headgate.server.http.transport.NonApiRequest;
import io.headgate.server.trace.Trace;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.MessageSizeOverflowException;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call and its response, which is sent exactly once even if handlers fail. Not thread-safe: used
 * on the event loop of the call.
 *
 * <p>Messages are received as bytes and parsed here, since Vert.x resets the stream of an invalid
 * message without telling the client why.
 */
final class GrpcReply<A> implements PendingCall {
  private static final String PLAIN = "identity";

  private final GrpcServerRequest<Buffer, A> call;
  private final GrpcServerResponse<Buffer, A> response;
  private final Trace trace;
  private final @Nullable NonApiRequest request;
  private Runnable onTooLong = this::failTooLong;
  private Runnable onEnd = () -> {};
  private @Nullable CallEnds ends;
  private boolean ended;

  GrpcReply(GrpcServerRequest<Buffer, A> call) {
    this(call, Trace.NONE, null);
  }

  /**
   * Creates the reply of a call.
   *
   * @param trace is ended with the status of the call
   * @param request keeps its memory while the call waits; null for a call that never waits
   */
  GrpcReply(GrpcServerRequest<Buffer, A> call, Trace trace, @Nullable NonApiRequest request) {
    this.call = call;
    this.response = call.response();
    this.trace = trace;
    this.request = request;
    call.exceptionHandler(reset -> clientDisconnected());
    call.errorHandler(cancelled -> clientDisconnected());
    response.exceptionHandler(reset -> clientDisconnected()); // after the end of the request
    call.invalidMessageHandler(invalid -> {
      if (invalid instanceof MessageSizeOverflowException) onTooLong.run();
      else fail(GrpcStatus.INVALID_ARGUMENT, "not a valid message for " + call.fullMethodName());
    });
  }

  /** Replaces the response to a message that is too long, which is an error by default. */
  void onTooLong(Runnable then) {
    onTooLong = then;
  }

  /** Counts the call if it ends without a message. */
  void countIn(CallEnds counter) {
    ends = counter;
  }

  /** Runs a task when the call ends, or at once if it has ended. */
  void onEnd(Runnable task) {
    if (ended) task.run();
    else onEnd = task;
  }

  private void failTooLong() {
    fail(
        GrpcStatus.RESOURCE_EXHAUSTED,
        "a message may have at most %d bytes".formatted(GrpcApi.MAX_MESSAGE_BYTES));
  }

  /**
   * Passes each message to a consumer. A call with compressed messages is rejected, since their
   * decompressed size is unbounded.
   */
  <M> void receive(Parser<M> parser, Consumer<M> use) {
    String encoding = call.encoding();
    if (encoding != null && !encoding.equals(PLAIN)) {
      fail(GrpcStatus.UNIMPLEMENTED, "messages must not be compressed, got " + encoding);
      return;
    }
    call.handler(bytes -> {
      if (!ended) runGuarded(() -> use.accept(parsed(parser, bytes)));
    });
  }

  /** Passes the single message of a unary call to a consumer, at the end of the request stream. */
  <M> void receiveOne(Parser<M> parser, Consumer<M> use) {
    var messages = new ArrayList<M>(1);
    call.endHandler(end -> {
      if (!ended) runGuarded(() -> use.accept(only(messages)));
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
      throw GrpcException.invalid("not a valid message for " + call.fullMethodName());
    }
  }

  /** Marks the call as ended; returns false if it was before. */
  private boolean markEnded() {
    if (ended) return false;
    ended = true;
    onEnd.run();
    return true;
  }

  private void clientDisconnected() {
    if (!markEnded()) return;
    if (ends != null) ends.cancelled();
    trace.clientDisconnected();
  }

  /** Sends the only message and ends the call. */
  void send(A message) {
    if (!markEnded()) return;
    trace.grpcResponded(GrpcStatus.OK.name());
    response.end(message);
  }

  /** Sends one of several messages, and pauses the client's stream until it is written. */
  void write(A message) {
    if (ended) return;
    call.pause();
    response.write(message).onComplete(sent -> call.resume());
  }

  /** Sends one of several messages, and completes when it has been written. */
  Future<Void> push(A message) {
    return ended ? Future.succeededFuture() : response.write(message);
  }

  /** Resets the stream, so that messages that have not been written are dropped. */
  void cancel() {
    if (!markEnded()) return;
    response.cancel();
  }

  /** Returns whether the call has ended or its client has disconnected. */
  boolean isEnded() {
    return ended;
  }

  /** Ends a stream of responses. */
  void end() {
    if (!markEnded()) return;
    response.end();
  }

  /** Ends the call with a status. */
  void fail(GrpcStatus status, String reason) {
    if (ended) return;
    if (ends != null) ends.failed(status);
    end(status, reason);
  }

  /** Ends the call with UNAVAILABLE, because there is no result at its deadline. */
  void expire(String reason) {
    if (ended) return;
    if (ends != null) ends.expired();
    end(GrpcStatus.UNAVAILABLE, reason);
  }

  private void end(GrpcStatus status, String reason) {
    if (!markEnded()) return;
    trace.grpcResponded(status.name());
    response.status(status).statusMessage(reason).end();
  }

  @Override
  public Trace trace() {
    return trace;
  }

  @Override
  public void waitBegins() {
    if (request != null) request.waitBegins();
  }

  @Override
  public void waitEnds() {
    if (request != null) request.waitEnds();
  }

  @Override
  public void runGuarded(Runnable task) {
    try {
      task.run();
    } catch (GrpcException e) {
      fail(e.status(), e.reason());
    } catch (ProblemException e) {
      fail(status(e.problem()), e.problem().detail());
    } catch (Throwable e) {
      var failure = CallFailure.of(e);
      fail(status(failure), failure.message());
    }
  }

  /** Returns the status of a problem that handlers of every protocol report. */
  private static GrpcStatus status(ProblemDocument problem) {
    return switch (problem.status()) {
      case 400 -> GrpcStatus.INVALID_ARGUMENT;
      case 501 -> GrpcStatus.UNIMPLEMENTED;
      case 503 -> GrpcStatus.UNAVAILABLE;
      default -> GrpcStatus.INTERNAL;
    };
  }

  private static GrpcStatus status(CallFailure failure) {
    return switch (failure.kind()) {
      case STORE_UNAVAILABLE -> GrpcStatus.UNAVAILABLE;
      case INVALID_COST -> GrpcStatus.INVALID_ARGUMENT;
      case INTERNAL -> GrpcStatus.INTERNAL;
    };
  }
}
