package io.headgate.servlet;

import io.headgate.CheckResult;
import io.headgate.http.AmbiguousPathException;
import io.headgate.http.DenialProblem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Writes problem documents. */
final class ProblemResponse {
  private static final String UNAVAILABLE =
      "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,"
          + "\"detail\":\"the limits of this request can't be checked; retry later\"}";

  static void write(HttpServletRequest request, HttpServletResponse response, CheckResult result)
      throws IOException {
    var problem = DenialProblem.of(result);
    write(response, problem.status(), problem.json());
  }

  /** Writes the response to a request that can't be decided. */
  static void writeUnavailable(HttpServletResponse response) throws IOException {
    response.setHeader("Cache-Control", "no-store");
    write(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, UNAVAILABLE);
  }

  /** Writes the response to a request that may match other rules than the servlet it reaches. */
  static void write(HttpServletResponse response, AmbiguousPathException problem)
      throws IOException {
    response.setHeader("Cache-Control", "no-store");
    write(response, HttpServletResponse.SC_BAD_REQUEST, problem.json());
  }

  private static void write(HttpServletResponse response, int status, String json)
      throws IOException {
    var body = json.getBytes(StandardCharsets.UTF_8);
    response.setStatus(status);
    response.setContentType(DenialProblem.MEDIA_TYPE);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  private ProblemResponse() {}
}
