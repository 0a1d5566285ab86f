package io.headgate.server.http.transport;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

/**
 * Applies the deadlines and the memory budget of connections to an HTTP/2 request that is not part
 * of this API, such as a gRPC call. Confined to its event loop.
 */
public final class NonApiRequest {
  private static final long NO_ERROR = 0;
  private static final long REFUSED_STREAM = 7;
  private static final long CANCEL = 8;

  /**
   * The time before a stream is reset: the response may wait for the client's flow-control window,
   * and a reset would overtake it.
   */
  private static final long LINGER_MILLIS = 500;

  private final HttpServerRequest request;
  private final Vertx vertx;
  private final RequestResources resources;
  private final long weight;
  private long received;

  /**
   * @param responseBytes the memory of its responses until they are sent, beyond that of a short
   *     one
   */
  public NonApiRequest(
      HttpServerRequest request, Vertx vertx, ConnectionTracker connections, long responseBytes) {
    this.request = request;
    this.vertx = vertx;
    var connection = connections.find(request.connection());
    this.resources = new RequestResources(connections, connection, this::onTimeout);
    this.weight =
        RequestTracking.STREAM_BYTES
            + (connection == null ? 0 : connection.headWeight)
            + responseBytes;
    request.end().onComplete(done -> resources.bodyReceived());
    request
        .response()
        .closeHandler(closed -> resources.release())
        .endHandler(ended -> responseEnded());
  }

  /** Called when the response is complete, before or after its stream has been closed. */
  private void responseEnded() {
    if (resources.isReleased()) return;
    resources.resize(weight);
    resources.awaitSent(0);
    if (!request.isEnded()) vertx.setTimer(LINGER_MILLIS, fired -> reset(NO_ERROR));
  }

  /**
   * Reserves the memory of the request; rejects the request if there is none.
   *
   * @param unbounded whether its body may take any time
   * @return false if the request has been rejected
   */
  public boolean begin(boolean unbounded) {
    if (!resources.resize(weight)) {
      request.response().reset(REFUSED_STREAM);
      return false;
    }
    if (!unbounded) resources.awaitBody();
    return true;
  }

  /**
   * Reserves memory for bytes of the body that are kept until the request ends.
   *
   * @return false if there is no memory for them
   */
  public boolean reserveBody(int bytes) {
    received += bytes;
    return received <= RequestTracking.UNCOUNTED_BYTES || resources.resize(weight + 2 * received);
  }

  /** Releases the memory of all bytes of the body that have arrived. */
  public void releaseBody() {
    received = 0;
    resources.resize(weight);
  }

  /** Records that the call waits for a result, which keeps it in memory even if it is reset. */
  public void waitBegins() {
    resources.waitBegins();
  }

  /** Records the end of a wait. */
  public void waitEnds() {
    resources.waitEnds();
  }

  private void onTimeout() {
    if (request.response().closed()) resources.release();
    else request.response().reset(CANCEL);
  }

  private void reset(long code) {
    var response = request.response();
    if (!request.isEnded() && !response.closed()) response.reset(code);
  }
}
