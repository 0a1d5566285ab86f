package io.headgate.server.http.transport;

import org.jspecify.annotations.Nullable;

/**
 * The memory that one request holds, of the budget of all. Changes size as the request goes on, and
 * ends with the request or with its connection, whichever is first. For its event loop only.
 */
final class MemoryReservation {
  private final ConnectionTracker connections;
  private final @Nullable ConnectionState connection;
  private long bytes;

  MemoryReservation(ConnectionTracker connections, @Nullable ConnectionState connection) {
    this.connections = connections;
    this.connection = connection;
  }

  /** Changes the size; false, and the size stays, if the budget does not allow more. */
  boolean resize(long wanted) {
    if (wanted == bytes || connection == null) return true;
    if (wanted < bytes) connections.giveBack(connection, bytes - wanted);
    else if (!connections.take(connection, wanted - bytes)) return false;
    bytes = wanted;
    return true;
  }

  void end() {
    resize(0);
  }
}
