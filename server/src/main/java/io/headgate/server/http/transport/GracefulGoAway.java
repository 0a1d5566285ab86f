package io.headgate.server.http.transport;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.Http2ServerConnection;

/**
 * Ends a connection of HTTP/2 in the two steps of RFC 9113, section 6.8: a GOAWAY that names the
 * highest stream there can be, and, once the client has read it, one that names the last stream
 * that was received. Calls that cross the first are served.
 */
final class GracefulGoAway {
  private static final long NO_ERROR = 0;
  private static final int EVERY_STREAM = Integer.MAX_VALUE;

  /**
   * Sends the first GOAWAY and a PING behind it. Completes when the client has answered the PING
   * and the second GOAWAY is sent; never if the connection breaks before. A connection of HTTP/1 is
   * left alone.
   */
  static Future<Void> send(HttpConnection connection) {
    if (!(connection instanceof Http2ServerConnection)) return Future.succeededFuture();
    connection.goAway(NO_ERROR, EVERY_STREAM);
    return connection
        .ping(Buffer.buffer(new byte[8]))
        .map(pong -> {
          connection.goAway(NO_ERROR);
          return null;
        });
  }

  private GracefulGoAway() {}
}
