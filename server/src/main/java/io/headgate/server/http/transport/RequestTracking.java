package io.headgate.server.http.transport;

import io.headgate.server.trace.Trace;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * Accounts for one request: what it takes of its event loop, and its trace. A request that is never
 * begun is not accounted for. Confined to its event loop.
 */
final class RequestTracking {
  private static final long CANCEL = 8; // HTTP/2 error code

  /** The memory of an HTTP/2 stream with a short body and a short response. */
  static final long STREAM_BYTES = 8 * 1024;

  /**
   * The length up to which a body or response is not counted: it is included in the memory of the
   * stream or connection.
   */
  static final long UNCOUNTED_BYTES = 4 * 1024;

  private final HttpServerRequest request;
  private final @Nullable ConnectionState connection;
  private final RequestResources resources;
  private Trace trace = Trace.NONE;
  private Runnable onBodyTimeout = () -> {};
  private long headWeight;
  private boolean begun;

  /**
   * @param connections tracks the connections of this event loop
   */
  RequestTracking(HttpServerRequest request, ConnectionTracker connections) {
    this.request = request;
    this.connection = connections.find(request.connection());
    this.resources = new RequestResources(connections, connection, this::onTimeout);
  }

  /**
   * Begins to account for the request.
   *
   * @param onBodyTimeout is run if the body does not arrive in time
   * @return false if there is no memory for it
   */
  boolean begin(Runnable onBodyTimeout) {
    this.onBodyTimeout = onBodyTimeout;
    begun = true;
    resources.open();
    headWeight = connection == null ? 0 : headWeight(connection);
    return resources.resize(headWeight);
  }

  /** Returns the memory of the open request without its body and response. */
  private long headWeight(ConnectionState open) {
    if (isHttp2()) return STREAM_BYTES + open.headWeight;
    // An HTTP/1.1 head is included in the memory of its connection unless it is large.
    long weight = open.headBytes <= UNCOUNTED_BYTES ? 0 : fieldsWeight();
    open.headBytes = 0;
    return weight <= UNCOUNTED_BYTES ? 0 : weight;
  }

  private long fieldsWeight() {
    long weight = 0;
    for (var field : request.headers()) {
      weight +=
          HeaderSizeMeter.BYTES_PER_FIELD + field.getKey().length() + field.getValue().length();
    }
    return weight;
  }

  private boolean isHttp2() {
    return request.version() == HttpVersion.HTTP_2;
  }

  Trace trace() {
    return trace;
  }

  /** Sets the trace, which is ended with the request. */
  void setTrace(Trace started) {
    trace = started;
  }

  /** Sets the deadline for the body. */
  void awaitBody() {
    resources.awaitBody();
  }

  /** Removes the deadline for the body. That of a response which is being sent stays. */
  void bodyReceived() {
    resources.bodyReceived();
  }

  /**
   * Reserves memory for the body.
   *
   * @param kept the length of the body so far; counted twice, since its buffer doubles as it grows
   * @return false if there is no memory for it
   */
  boolean reserveBody(long kept) {
    return resources.resize(headWeight + (kept <= UNCOUNTED_BYTES ? 0 : 2 * kept));
  }

  /**
   * Replaces the memory of the body by that of the response.
   *
   * @param own the memory of the response until it is sent
   * @return false if there is no memory for it
   */
  boolean reserveResponse(long own) {
    return resources.resize((isHttp2() ? headWeight : 0) + (own <= UNCOUNTED_BYTES ? 0 : own));
  }

  /** Sets the deadline for the client to receive the response. */
  void awaitSent(long bytes) {
    resources.awaitSent(bytes);
  }

  /** Records that the request waits for a result, which keeps it in memory even if it is reset. */
  void waitBegins() {
    resources.waitBegins();
  }

  /** Records the end of a wait. */
  void waitEnds() {
    resources.waitEnds();
  }

  /** Ends the accounting of the response: it has been sent, or its client has disconnected. */
  void sent() {
    resources.release();
  }

  /**
   * Ends the accounting of a streamed response, whose last part is being sent. Over HTTP/1.1 only
   * the end of the connection would be reported, so that nothing waits for it.
   */
  void streamEnded() {
    end(true);
    if (isHttp2()) resources.awaitSent(0);
    else resources.release();
  }

  /**
   * Ends the accounting of the request. Later calls do nothing.
   *
   * @param answered false if the client has disconnected before the response
   */
  void end(boolean answered) {
    if (!begun) return;
    begun = false;
    if (answered) trace.httpResponded(request.response().getStatusCode());
    else trace.clientDisconnected();
    if (answered) resources.answered();
    else resources.release();
  }

  /** Called when the body does not arrive, or the response is not received, in time. */
  private void onTimeout() {
    if (!resources.isSending()) onBodyTimeout.run();
    else if (isHttp2()) request.response().reset(CANCEL);
    else if (connection != null) connection.cut();
  }
}
