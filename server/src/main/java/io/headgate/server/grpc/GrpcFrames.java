package io.headgate.server.grpc;

import io.headgate.server.http.transport.NonApiRequest;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.vertx.core.internal.http.HttpServerRequestWrapper;
import io.vertx.grpc.common.GrpcHeaderNames;
import io.vertx.grpc.common.GrpcStatus;
import org.jspecify.annotations.Nullable;

/**
 * Wraps the request of a call and checks its message frames before Vert.x decodes them. Vert.x's
 * deframer throws on a compressed message without an encoding, and the client would never get a
 * response. The wrapper counts the bytes of incomplete messages against the memory budget.
 */
final class GrpcFrames extends HttpServerRequestWrapper {
  private static final int PREFIX = 5; // a flag byte and a length of four bytes
  private static final long CANCEL = 8;

  private final HttpServerRequestInternal request;
  private final NonApiRequest call;
  private final boolean endless;
  private final @Nullable CallEnds ends;
  private @Nullable Handler<Throwable> failed;
  private int prefix; // bytes of the prefix received so far
  private long length;
  private boolean refused;

  /**
   * Wraps a request.
   *
   * @param endless whether each message is used when it arrives, so that only incomplete ones take
   *     memory; otherwise all messages do until the call ends
   * @param ends counts the call if it is refused; null for a call that is not counted
   */
  GrpcFrames(
      HttpServerRequestInternal request,
      NonApiRequest call,
      boolean endless,
      @Nullable CallEnds ends) {
    super(request);
    this.request = request;
    this.call = call;
    this.endless = endless;
    this.ends = ends;
  }

  @Override
  public HttpServerRequest exceptionHandler(@Nullable Handler<Throwable> handler) {
    failed = handler;
    request.exceptionHandler(handler);
    return this;
  }

  @Override
  public HttpServerRequest handler(@Nullable Handler<Buffer> handler) {
    request.handler(handler == null ? null : chunk -> take(chunk, handler));
    return this;
  }

  private void take(Buffer chunk, Handler<Buffer> next) {
    if (refused) return;
    if (isCompressed(chunk)) {
      refuse(
          GrpcStatus.INTERNAL,
          "a message has the compressed flag and the call names no encoding for it; send messages"
              + " uncompressed");
    } else if (!call.reserveBody(chunk.length())) {
      refuse(GrpcStatus.RESOURCE_EXHAUSTED, "the server has no memory for the message; try again");
    } else {
      next.handle(chunk);
      if (endless && prefix == 0) call.releaseBody();
    }
  }

  /** Parses the frames of a chunk and returns whether one has the compressed flag. */
  private boolean isCompressed(Buffer chunk) {
    int at = 0;
    while (at < chunk.length()) {
      if (prefix == PREFIX) {
        long rest = Math.min(length, chunk.length() - at);
        at += (int) rest;
        length -= rest;
        if (length > 0) return false;
        prefix = 0;
      } else {
        int value = chunk.getUnsignedByte(at++);
        if (prefix == 0) {
          if (value != 0) return true;
          length = 0;
        } else {
          length = length << 8 | value;
        }
        prefix++;
      }
    }
    return false;
  }

  private void endHandler() {
    if (failed != null) failed.handle(new StreamResetException(CANCEL));
  }

  /** Responds instead of the handler of the call, which is notified of a disconnected client. */
  private void refuse(GrpcStatus status, String reason) {
    refused = true;
    var response = request.response();
    if (response.ended() || response.closed()) return;
    if (response.headWritten()) {
      response.reset(CANCEL);
      return;
    }
    if (ends == null) endHandler();
    else ends.refused(status, this::endHandler);
    response
        .putHeader("content-type", "application/grpc")
        .putHeader(GrpcHeaderNames.GRPC_STATUS, status.toString())
        .putHeader(GrpcHeaderNames.GRPC_MESSAGE, reason)
        .end();
  }
}
