package io.headgate.server.http.transport;

import io.headgate.server.trace.Trace;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * Accounts for one request: the memory that it holds, its deadlines, the open requests of its
 * connection, and its trace. A request that is never begun is not accounted for. Confined to its
 * event loop.
 */
final class RequestTracking extends BodyReceiver {
  private static final long CANCEL = 8; // HTTP/2 error code

  /** The memory of an HTTP/2 stream with a short body and a short response. */
  static final long STREAM_BYTES = 8 * 1024;

  /**
   * The length up to which a body or response is not counted: it is included in the memory of the
   * stream or connection.
   */
  static final long UNCOUNTED_BYTES = 4 * 1024;

  private final HttpServerRequest request;
  private final ConnectionTracker connections;
  private @Nullable ConnectionState connection;
  private @Nullable MemoryReservation reservation;
  private Trace trace = Trace.NONE;
  private Runnable onBodyTimeout = () -> {};
  private long headWeight;
  private boolean begun;
  private boolean sending;
  private int waits;
  private boolean releasedAfterWait;

  /**
   * @param connections tracks the connections of this event loop
   */
  RequestTracking(HttpServerRequest request, ConnectionTracker connections) {
    this.request = request;
    this.connections = connections;
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
    var open = connections.requestStarted(request.connection());
    connection = open;
    reservation = new MemoryReservation(connections, open);
    headWeight = open == null ? 0 : headWeight(open);
    return reservation.resize(headWeight);
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
    connections.awaitBody(this);
  }

  /** Removes the deadline for the body. That of a response which is being sent stays. */
  void bodyReceived() {
    if (!sending) connections.clearDeadline(this);
  }

  /**
   * Reserves memory for the body.
   *
   * @param kept the length of the body so far; counted twice, since its buffer doubles as it grows
   * @return false if there is no memory for it
   */
  boolean reserveBody(long kept) {
    return resize(headWeight + (kept <= UNCOUNTED_BYTES ? 0 : 2 * kept));
  }

  /**
   * Replaces the memory of the body by that of the response.
   *
   * @param own the memory of the response until it is sent
   * @return false if there is no memory for it
   */
  boolean reserveResponse(long own) {
    return resize((isHttp2() ? headWeight : 0) + (own <= UNCOUNTED_BYTES ? 0 : own));
  }

  private boolean resize(long bytes) {
    return reservation == null || reservation.resize(bytes);
  }

  /** Sets the deadline for the client to receive the response. */
  void awaitSent(long bytes) {
    sending = true;
    if (connection != null) connection.sending++;
    connections.awaitSent(this, bytes);
  }

  /** Records that the request waits for a result, which keeps it in memory even if it is reset. */
  void waitBegins() {
    waits++;
  }

  /** Records the end of a wait. */
  void waitEnds() {
    waits--;
    if (waits > 0 || !releasedAfterWait) return;
    releasedAfterWait = false;
    resize(0);
  }

  private void release() {
    if (waits > 0) releasedAfterWait = true;
    else resize(0);
  }

  /** Ends the accounting of the response: it has been sent, or its client has disconnected. */
  void sent() {
    release();
    if (!sending) return;
    sending = false;
    if (connection != null) connection.sending--;
    connections.clearDeadline(this);
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
    connections.clearDeadline(this);
    connections.requestEnded(connection);
    if (!answered) release();
  }

  /** Called when the body does not arrive, or the response is not received, in time. */
  @Override
  void onTimeout() {
    if (!sending) onBodyTimeout.run();
    else if (isHttp2()) request.response().reset(CANCEL);
    else if (connection != null) connection.cut();
  }
}
