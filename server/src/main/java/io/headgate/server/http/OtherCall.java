package io.headgate.server.http;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

/** A request over HTTP/2 that is not of this API, as far as its connection goes. */
final class OtherCall implements Receiving {
  private static final long NO_ERROR = 0;
  private static final long CANCEL = 8;

  /** What has been written may wait for the client's window, and a reset would overtake it. */
  private static final long LINGER_MILLIS = 500;

  private final HttpServerRequest request;

  OtherCall(HttpServerRequest request, Vertx vertx, Connections connections) {
    this.request = request;
    request.end().onComplete(done -> connections.received(this));
    request
        .response()
        .endHandler(answered -> {
          connections.received(this);
          if (!request.isEnded()) vertx.setTimer(LINGER_MILLIS, fired -> reset(NO_ERROR));
        });
  }

  @Override
  public void tooSlow() {
    reset(CANCEL);
  }

  private void reset(long code) {
    var response = request.response();
    if (!request.isEnded() && !response.closed()) response.reset(code);
  }
}
