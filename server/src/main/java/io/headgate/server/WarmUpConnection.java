package io.headgate.server;

import java.io.Closeable;
import java.io.IOException;

/** A client connection of a warm-up. Closing it from another thread ends a pending call. */
interface WarmUpConnection extends Closeable {
  /**
   * Makes one call, or several at once.
   *
   * @param client the number of the client
   * @param index the number of calls that this connection made before
   * @return the number of calls that were decided; 0 for a response without a decision
   */
  int call(int client, int index) throws IOException;
}
