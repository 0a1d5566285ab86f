package io.headgate.server.http.transport;

import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.Readiness;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;

/**
 * Sends the response of one request, at most once. Also ends the connection or stream of a request
 * whose body is not read to its end. Confined to its event loop.
 */
final class ResponseSender {
  private static final long LINGER_MILLIS = 500;
  private static final long NO_ERROR = 0; // HTTP/2 error codes
  private static final long REFUSED_STREAM = 7;

  /** The length from which a response is counted, and has a deadline, over HTTP/1.1 as well. */
  private static final int LONG_RESPONSE_BYTES = 16 * 1024;

  /** The response to a request for which there is no memory. */
  static final ProblemDocument BUSY =
      ProblemDocument.of(
              503, "the memory for requests in progress is used up; try again in a second")
          .with("Retry-After", "1");

  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final Vertx vertx;
  private final Readiness readiness;
  private final RequestTracking tracking;
  private final RequestBody body;
  private Runnable onClosed = () -> {};
  private boolean bodyComplete;
  private boolean answered;

  /**
   * @param body is dropped when the request is answered
   */
  ResponseSender(
      HttpServerRequest request,
      Vertx vertx,
      Readiness readiness,
      RequestTracking tracking,
      RequestBody body) {
    this.request = request;
    this.response = request.response();
    this.vertx = vertx;
    this.readiness = readiness;
    this.tracking = tracking;
    this.body = body;
  }

  /** Begins to observe whether the client disconnects. */
  void observeClose() {
    if (isHttp2()) response.closeHandler(closed -> closed());
  }

  private boolean isHttp2() {
    return request.version() == HttpVersion.HTTP_2;
  }

  /** Records that the body has been received to its end, so that the connection can be reused. */
  void bodyCompleted() {
    bodyComplete = true;
  }

  boolean isBodyComplete() {
    return bodyComplete;
  }

  boolean isAnswered() {
    return answered;
  }

  /** Returns whether the request is answered, or its client has disconnected. */
  boolean isFinished() {
    if (!answered && !response.closed()) return false;
    tracking.end(answered);
    return true;
  }

  /** Sets the task that is run when the client disconnects. */
  void setOnClosed(Runnable task) {
    onClosed = task;
    if (!isHttp2()) response.closeHandler(closed -> closed());
  }

  /** Called when the stream or connection of this request has been closed by either side. */
  private void closed() {
    onClosed.run();
    tracking.sent();
    if (!answered) tracking.end(false);
  }

  /**
   * Sends a response.
   *
   * @param own the memory of the response until it is sent
   */
  void send(int status, CharSequence mediaType, Buffer bytes, long own) {
    if (isFinished()) return;
    if (status != response.getStatusCode()) response.setStatusCode(status);
    response.headers().set(HttpHeaders.CONTENT_TYPE, mediaType);
    SecurityHeaders.put(response, mediaType);
    if (request.method().equals(HttpMethod.HEAD)) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(bytes.length()));
      finish(Buffer.buffer(), 0);
    } else {
      finish(bytes, own);
    }
  }

  /** Sends a constant body, which needs no memory of its own unless it is encrypted. */
  void send(int status, CharSequence mediaType, SharedBuffer bytes) {
    boolean copied = request.isSSL() && !isHttp2();
    send(status, mediaType, bytes.buffer(), copied ? bytes.buffer().length() : 0);
  }

  /** Sends a response without a body. */
  void send(int status) {
    if (isFinished()) return;
    response.setStatusCode(status);
    finish(Buffer.buffer(), 0);
  }

  /** Begins a response whose length is not known. The caller ends it. */
  void begin(int status, CharSequence mediaType) {
    answered = true;
    response.setStatusCode(status).setChunked(true).putHeader(HttpHeaders.CONTENT_TYPE, mediaType);
    SecurityHeaders.put(response, mediaType);
  }

  /** Resets an HTTP/2 stream for which there is no memory, not even for a response. */
  void refuseStream() {
    response.reset(REFUSED_STREAM);
    tracking.end(false);
  }

  private void finish(Buffer bytes, long own) {
    answered = true;
    body.drop();
    boolean fits = tracking.reserveResponse(own);
    tracking.end(true);
    var sent = fits ? bytes : withoutBody();
    if (isHttp2()) sendOnStream(sent);
    else sendOnConnection(sent);
  }

  private Buffer withoutBody() {
    response.headers().clear();
    response.setStatusCode(BUSY.status()).putHeader("Retry-After", "1");
    return Buffer.buffer();
  }

  /**
   * Sends the response and, if the body is incomplete, resets the stream. Other streams are not
   * affected.
   */
  private void sendOnStream(Buffer bytes) {
    tracking.awaitSent(bytes.length());
    var sent = response.end(bytes);
    if (!bodyComplete) sent.onComplete(done -> response.reset(NO_ERROR));
  }

  private void sendOnConnection(Buffer bytes) {
    boolean last = !bodyComplete || readiness.isStopping();
    if (last) response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    var sent = response.end(bytes);
    if (bytes.length() >= LONG_RESPONSE_BYTES) {
      tracking.awaitSent(bytes.length());
      sent.onComplete(done -> tracking.sent());
    } else {
      tracking.sent();
    }
    if (!last) return;
    var connection = request.connection();
    if (bodyComplete) {
      sent.onComplete(done -> connection.close());
    } else {
      // Closing while the client still sends would reset the connection and lose the response.
      vertx.setTimer(LINGER_MILLIS, fired -> connection.close());
    }
  }
}
