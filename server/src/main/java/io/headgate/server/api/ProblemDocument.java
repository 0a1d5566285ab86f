package io.headgate.server.api;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A problem document as defined by RFC 9457.
 *
 * @param status the status of the response
 * @param field the part of the request that is invalid, such as {@code checks[3].cost}
 * @param detail the given value, the allowed values, and the remedy
 * @param headers the headers to add to the response
 * @param problems each error in the rules that were sent
 */
public record ProblemDocument(
    int status,
    Optional<String> field,
    String detail,
    Map<String, String> headers,
    List<io.headgate.rulefile.RuleProblem> problems) {
  public static final String MEDIA_TYPE = "application/problem+json";

  /** Creates a problem that does not concern one field. */
  public static ProblemDocument of(int status, String detail) {
    return new ProblemDocument(status, Optional.empty(), detail, Map.of(), List.of());
  }

  /** Creates a problem with one field of the request. */
  public static ProblemDocument of(int status, String field, String detail) {
    return new ProblemDocument(status, Optional.of(field), detail, Map.of(), List.of());
  }

  /** Returns this problem with the header instead of its own. */
  public ProblemDocument with(String header, String value) {
    return new ProblemDocument(status, field, detail, Map.of(header, value), problems);
  }

  /** Returns this problem with the errors found in the rules. */
  public ProblemDocument with(List<io.headgate.rulefile.RuleProblem> problems) {
    return new ProblemDocument(status, field, detail, headers, problems);
  }

  /** Returns the body of the response. */
  public JsonWriter json() {
    var out = new JsonWriter().begin();
    out.name("type").value("about:blank");
    out.name("title").value(HttpResponseStatus.valueOf(status).reasonPhrase());
    out.name("status").value(status);
    out.name("detail").value(detail);
    field.ifPresent(name -> out.name("field").value(name));
    if (!problems.isEmpty()) {
      out.name("problems").beginList();
      for (var problem : problems) {
        out.begin().name("line").value(problem.line()).name("column").value(problem.column());
        out.name("field").value(problem.path()).name("message").value(problem.message()).end();
      }
      out.endList();
    }
    return out.end();
  }
}
