package io.headgate.server.http.transport;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import org.jspecify.annotations.Nullable;

/** The state of one open connection. Confined to its event loop. */
final class ConnectionState {
  final HttpConnection connection;

  /** The tick of the last change of state. */
  long since;

  /** The number of requests that have begun and are not answered. */
  int requests;

  /** The number of responses that are being sent. */
  int sending;

  /** Whether the head of a request is being received. */
  boolean head = true;

  /**
   * The bytes read since the last head was complete; unknown, and thus large, for the first one.
   */
  long headBytes = Integer.MAX_VALUE;

  /** The memory of the head that has just been received; HTTP/2 only. */
  long headWeight;

  /** The bytes of the memory budget that requests of this connection hold. */
  long held;

  /** Stops reading while the client does not read; null over HTTP/1. */
  @Nullable ReadBackpressure backpressure;

  /** Whether the connection is not read because its client does not read. */
  boolean stopped;

  /** The part of {@link #held} for buffers that the client has not read. */
  long unreadWeight;

  /** The bytes that the client had to read at the tick {@link #unreadSince}. */
  long unreadBytes;

  /** The tick since which the client of a stopped connection has not read. */
  long unreadSince;

  /** Whether the connection has been closed by either side. */
  boolean closed;

  /** Whether a graceful close has been started. */
  boolean closing;

  ConnectionState(HttpConnection connection, long now) {
    this.connection = connection;
    this.since = now;
  }

  /** Closes gracefully, which requires the client to read pending responses. */
  void close() {
    closing = true;
    connection.close();
  }

  /** Closes immediately and drops unsent data. */
  void cut() {
    if (connection instanceof ConnectionBase known) {
      var first = known.channel().pipeline().firstContext();
      if (first != null) {
        var unused = first.close(); // bypasses the codecs, which would flush first
        return;
      }
    }
    connection.close();
  }
}
