package io.headgate.server.http.transport;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/** The state of one open connection, for its event loop only. */
final class ConnectionState {
  final HttpConnection connection;

  /** The tick of the last change of state. */
  long since;

  /** Requests that have begun and have no answer yet. */
  int requests;

  /** Answers that are being sent. */
  int sending;

  /** Whether the head of a request is being received. */
  boolean head = true;

  /** Bytes read since the last head was complete; unknown, and thus large, for the first one. */
  long headBytes = Integer.MAX_VALUE;

  /** What the head that has just been received takes in memory; of HTTP/2 only. */
  long headWeight;

  /** Bytes of the memory budget that requests of this connection hold. */
  long held;

  /** Whether it has been closed, by either side. */
  boolean closed;

  /** Whether it has been asked to close. */
  boolean closing;

  ConnectionState(HttpConnection connection, long now) {
    this.connection = connection;
    this.since = now;
  }

  /** Closes in good order, which takes a client that reads what is on its way. */
  void close() {
    closing = true;
    connection.close();
  }

  /** Closes at once. Whatever is still to be sent is dropped. */
  void cut() {
    if (connection instanceof ConnectionBase known) {
      var first = known.channel().pipeline().firstContext();
      if (first != null) {
        var unused = first.close(); // past the codecs, which would wait until they have written
        return;
      }
    }
    connection.close();
  }
}
