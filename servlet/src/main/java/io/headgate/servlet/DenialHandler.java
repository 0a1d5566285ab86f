package io.headgate.servlet;

import io.headgate.CheckResult;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Writes the response to a denied request. The rate-limit headers are set before it is called.
 * Implementations must be thread-safe.
 */
@FunctionalInterface
public interface DenialHandler {
  /** Writes status and body. */
  void handle(HttpServletRequest request, HttpServletResponse response, CheckResult result)
      throws IOException, ServletException;

  /** Returns the default: the status of the rule with a problem document (RFC 9457). */
  static DenialHandler problem() {
    return ProblemResponse::write;
  }
}
