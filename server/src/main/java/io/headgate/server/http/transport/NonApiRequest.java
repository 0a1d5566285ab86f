package io.headgate.server.http.transport;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

/**
 * Applies the deadlines and the memory budget of connections to an HTTP/2 request that is not part
 * of this API, such as a gRPC call. Confined to its event loop.
 */
public final class NonApiRequest extends BodyReceiver {
  private static final long NO_ERROR = 0;
  private static final long REFUSED_STREAM = 7;
  private static final long CANCEL = 8;

  /**
   * The time before a stream is reset: the response may wait for the client's flow-control window,
   * and a reset would overtake it.
   */
  private static final long LINGER_MILLIS = 500;

  private final HttpServerRequest request;
  private final ConnectionTracker connections;
  private final MemoryReservation reservation;
  private final long weight;
  private long received;
  private boolean answered;

  /**
   * @param responseBytes the memory of its responses until they are sent, beyond that of a short
   *     one
   */
  public NonApiRequest(
      HttpServerRequest request, Vertx vertx, ConnectionTracker connections, long responseBytes) {
    this.request = request;
    this.connections = connections;
    var connection = connections.find(request.connection());
    this.reservation = new MemoryReservation(connections, connection);
    this.weight =
        RequestTracking.STREAM_BYTES
            + (connection == null ? 0 : connection.headWeight)
            + responseBytes;
    request
        .end()
        .onComplete(done -> {
          if (!answered) connections.clearDeadline(this);
        });
    request
        .response()
        .closeHandler(closed -> {
          connections.clearDeadline(this);
          reservation.release();
        })
        .endHandler(ended -> {
          answered = true;
          reservation.resize(weight);
          connections.awaitSent(this, 0);
          if (!request.isEnded()) vertx.setTimer(LINGER_MILLIS, fired -> reset(NO_ERROR));
        });
  }

  /**
   * Reserves the memory of the request; rejects the request if there is none.
   *
   * @param unbounded whether its body may take any time
   * @return false if the request has been rejected
   */
  public boolean begin(boolean unbounded) {
    if (!reservation.resize(weight)) {
      request.response().reset(REFUSED_STREAM);
      return false;
    }
    if (!unbounded) connections.awaitBody(this);
    return true;
  }

  /**
   * Reserves memory for bytes of the body that are kept until the request ends.
   *
   * @return false if there is no memory for them
   */
  public boolean reserveBody(int bytes) {
    received += bytes;
    return received <= RequestTracking.UNCOUNTED_BYTES || reservation.resize(weight + 2 * received);
  }

  /** Releases the memory of all bytes of the body that have arrived. */
  public void releaseBody() {
    received = 0;
    reservation.resize(weight);
  }

  @Override
  void onTimeout() {
    if (!request.response().closed()) request.response().reset(CANCEL);
  }

  private void reset(long code) {
    var response = request.response();
    if (!request.isEnded() && !response.closed()) response.reset(code);
  }
}
