package io.headgate.server.http.transport;

import org.jspecify.annotations.Nullable;

/**
 * What one request has taken: memory of the budget, a deadline, and its places among the open
 * requests and the unsent responses of its connection. All protocols take these through this object
 * only.
 *
 * <p>Everything is given back exactly once, in whatever order the callbacks of the request, of its
 * response and of its stream arrive: HTTP/2 reports a closed stream before the end of its response
 * if the store replied late, and after it otherwise. {@link #release} is final. Later calls take
 * nothing. Confined to its event loop.
 */
final class RequestResources extends BodyReceiver {
  private final ConnectionTracker connections;
  private final @Nullable ConnectionState connection;
  private final Runnable onTimeout;
  private long bytes;
  private int waits;
  private boolean open;
  private boolean sending;
  private boolean released;

  /**
   * Creates an object that holds nothing.
   *
   * @param connection null if it has been closed; memory and places are not counted then
   * @param onTimeout is run when a deadline has passed
   */
  RequestResources(
      ConnectionTracker connections, @Nullable ConnectionState connection, Runnable onTimeout) {
    this.connections = connections;
    this.connection = connection;
    this.onTimeout = onTimeout;
  }

  /** Takes a place among the open requests, so that the connection is not idle. */
  void open() {
    if (released || open) return;
    open = true;
    connections.requestStarted(connection);
  }

  /** Ends the place among the open requests and the deadline of the body. The memory stays. */
  void answered() {
    if (!sending) connections.clearDeadline(this);
    if (!open) return;
    open = false;
    connections.requestEnded(connection);
  }

  /**
   * Changes the memory.
   *
   * @return false, with the memory unchanged, if the budget does not allow more
   */
  boolean resize(long wanted) {
    return released || resizeTo(wanted);
  }

  private boolean resizeTo(long wanted) {
    if (wanted == bytes || connection == null) return true;
    if (wanted < bytes) connections.release(connection, bytes - wanted);
    else if (!connections.reserve(connection, wanted - bytes)) return false;
    bytes = wanted;
    return true;
  }

  /** Sets the deadline for the body to arrive. */
  void awaitBody() {
    if (!released) connections.awaitBody(this);
  }

  /** Removes the deadline for the body. That of a response which is being sent stays. */
  void bodyReceived() {
    if (!sending) connections.clearDeadline(this);
  }

  /** Takes a place among the unsent responses, and sets the deadline for the client to receive. */
  void awaitSent(long length) {
    if (released) return;
    connections.awaitSent(this, length);
    if (sending) return;
    sending = true;
    if (connection != null) connection.sending++;
  }

  /** Returns whether a response is being sent. */
  boolean isSending() {
    return sending;
  }

  /** Returns whether everything has been given back, except the memory of a request that waits. */
  boolean isReleased() {
    return released;
  }

  /** Records that the request waits for a result, which keeps it in memory even if it is reset. */
  void waitBegins() {
    waits++;
  }

  /** Records the end of a wait. */
  void waitEnds() {
    if (--waits == 0 && released) resizeTo(0);
  }

  /** Gives everything back; memory only once the request no longer waits. */
  void release() {
    if (released) return;
    released = true;
    connections.clearDeadline(this);
    if (open) {
      open = false;
      connections.requestEnded(connection);
    }
    if (sending) {
      sending = false;
      if (connection != null) connection.sending--;
    }
    if (waits == 0) resizeTo(0);
  }

  @Override
  void onTimeout() {
    onTimeout.run();
  }
}
