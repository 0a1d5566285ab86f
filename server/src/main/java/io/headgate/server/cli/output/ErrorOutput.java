package io.headgate.server.cli.output;

import io.headgate.server.log.JsonLogLine;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.Map;

/**
 * Writes the error that ends a command to standard error: as text, or as one line of a JSON log.
 *
 * @param err standard error
 * @param json whether to write JSON
 * @param logger the logger that the JSON line names
 */
public record ErrorOutput(PrintWriter err, boolean json, String logger) {
  /**
   * Writes a message, with control characters escaped.
   *
   * @param message the error, which may have several lines
   */
  public void print(String message) {
    print(message, Map.of());
  }

  /** Writes a message and the stack trace of an exception. */
  public void print(String message, Throwable problem) {
    var trace = new StringWriter();
    problem.printStackTrace(new PrintWriter(trace, true));
    print(message, Map.of("error", trace.toString()));
  }

  private void print(String message, Map<String, String> fields) {
    if (json) {
      err.println(JsonLogLine.of(Instant.now(), "ERROR", logger, message, fields));
    } else {
      err.println("headgate: " + Printable.lines(message));
      fields.values().forEach(err::print);
      err.flush();
    }
  }
}
