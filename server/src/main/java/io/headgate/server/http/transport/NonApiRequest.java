package io.headgate.server.http.transport;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

/** A request over HTTP/2 that is not of this API, as far as its connection goes. */
public final class NonApiRequest implements BodyReceiver {
  private static final long NO_ERROR = 0;
  private static final long REFUSED_STREAM = 7;
  private static final long CANCEL = 8;

  /** What has been written may wait for the client's window, and a reset would overtake it. */
  private static final long LINGER_MILLIS = 500;

  private final HttpServerRequest request;
  private final ConnectionTracker connections;
  private final MemoryReservation hold;
  private final long weight;
  private long received;
  private boolean answered;

  /**
   * @param answers the memory that its answers take until they are sent, beyond that of a short one
   */
  public NonApiRequest(
      HttpServerRequest request, Vertx vertx, ConnectionTracker connections, long answers) {
    this.request = request;
    this.connections = connections;
    var connection = connections.find(request.connection());
    this.hold = new MemoryReservation(connections, connection);
    this.weight = Exchange.STREAM + (connection == null ? 0 : connection.headWeight) + answers;
    request
        .end()
        .onComplete(done -> {
          if (!answered) connections.received(this);
        });
    request
        .response()
        .closeHandler(closed -> {
          connections.received(this);
          hold.end();
        })
        .endHandler(ended -> {
          answered = true;
          hold.resize(weight);
          connections.sends(this, 0);
          if (!request.isEnded()) vertx.setTimer(LINGER_MILLIS, fired -> reset(NO_ERROR));
        });
  }

  /**
   * Takes the memory for the call; false if there is none, and then the call is refused.
   *
   * @param lasts whether it may take as long as it likes
   */
  public boolean begin(boolean lasts) {
    if (!hold.resize(weight)) {
      request.response().reset(REFUSED_STREAM);
      return false;
    }
    if (!lasts) connections.receives(this);
    return true;
  }

  /** Bytes have come that are kept until the call ends; false if there is no memory for them. */
  public boolean receives(int bytes) {
    received += bytes;
    return received <= Exchange.UNCOUNTED || hold.resize(weight + 2 * received);
  }

  @Override
  public void tooSlow() {
    if (!request.response().closed()) request.response().reset(CANCEL);
  }

  private void reset(long code) {
    var response = request.response();
    if (!request.isEnded() && !response.closed()) response.reset(code);
  }
}
