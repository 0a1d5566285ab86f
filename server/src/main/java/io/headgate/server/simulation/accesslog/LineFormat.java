package io.headgate.server.simulation.accesslog;

import java.util.Optional;

/** How lines are written. */
interface LineFormat {
  /**
   * Reads what is wanted of a line into {@code line}, which is clear.
   *
   * @return why it can't be read
   */
  Optional<String> read(byte[] bytes, int from, int to, LogLine line);
}
