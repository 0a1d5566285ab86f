package io.headgate.server.http.transport;

import org.jspecify.annotations.Nullable;

/**
 * The memory that one request holds of the budget. Its size changes while the request is processed.
 * It ends with the request or its connection, whichever is first. Confined to its event loop.
 */
final class MemoryReservation {
  private final ConnectionTracker connections;
  private final @Nullable ConnectionState connection;
  private long bytes;

  MemoryReservation(ConnectionTracker connections, @Nullable ConnectionState connection) {
    this.connections = connections;
    this.connection = connection;
  }

  /**
   * Changes the size.
   *
   * @return false, with the size unchanged, if the budget does not allow more
   */
  boolean resize(long wanted) {
    if (wanted == bytes || connection == null) return true;
    if (wanted < bytes) connections.release(connection, bytes - wanted);
    else if (!connections.reserve(connection, wanted - bytes)) return false;
    bytes = wanted;
    return true;
  }

  /** Releases all of the memory. */
  void release() {
    resize(0);
  }
}
