package io.headgate.server.http.transport;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.Http2ServerConnection;

/**
 * Ends an HTTP/2 connection in the two steps of RFC 9113, section 6.8: a GOAWAY with the highest
 * possible stream id and, once the client has read it, one with the last stream that was received.
 * Requests that cross the first GOAWAY are served.
 */
final class GracefulGoAway {
  private static final long NO_ERROR = 0;
  private static final int MAX_STREAM_ID = Integer.MAX_VALUE;

  /**
   * Sends the first GOAWAY, followed by a PING. Completes when the client has answered the PING and
   * the second GOAWAY is sent; never if the connection breaks before. HTTP/1 connections are not
   * affected.
   */
  static Future<Void> send(HttpConnection connection) {
    if (!(connection instanceof Http2ServerConnection)) return Future.succeededFuture();
    connection.goAway(NO_ERROR, MAX_STREAM_ID);
    return connection
        .ping(Buffer.buffer(new byte[8]))
        .map(pong -> {
          connection.goAway(NO_ERROR);
          return null;
        });
  }

  private GracefulGoAway() {}
}
