package io.headgate.server.simulation.accesslog;

import java.util.Optional;

/** A format of log lines. */
interface LineFormat {
  /**
   * Reads the required fields of a line into {@code line}, which must be clear.
   *
   * @return the problem if the line cannot be read, otherwise empty
   */
  Optional<String> read(byte[] bytes, int from, int to, LogLine line);
}
