package io.headgate.server.api;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Why a request is not answered as asked, as RFC 9457 has it.
 *
 * @param field the part of the request that is at fault, such as {@code checks[3].cost}
 * @param detail what was given, what is allowed, and the way out
 * @param headers what the answer must carry beside the body
 * @param flaws each thing that is wrong with a text of rules
 */
public record ProblemDocument(
    int status,
    Optional<String> field,
    String detail,
    Map<String, String> headers,
    List<io.headgate.rulefile.RuleProblem> flaws) {
  public static final String MEDIA_TYPE = "application/problem+json";

  public static ProblemDocument of(int status, String detail) {
    return new ProblemDocument(status, Optional.empty(), detail, Map.of(), List.of());
  }

  public static ProblemDocument of(int status, String field, String detail) {
    return new ProblemDocument(status, Optional.of(field), detail, Map.of(), List.of());
  }

  public ProblemDocument with(String header, String value) {
    return new ProblemDocument(status, field, detail, Map.of(header, value), flaws);
  }

  public ProblemDocument with(List<io.headgate.rulefile.RuleProblem> flaws) {
    return new ProblemDocument(status, field, detail, headers, flaws);
  }

  public JsonWriter json() {
    var out = new JsonWriter().begin();
    out.name("type").value("about:blank");
    out.name("title").value(HttpResponseStatus.valueOf(status).reasonPhrase());
    out.name("status").value(status);
    out.name("detail").value(detail);
    field.ifPresent(name -> out.name("field").value(name));
    if (!flaws.isEmpty()) {
      out.name("problems").beginList();
      for (var flaw : flaws) {
        out.begin().name("line").value(flaw.line()).name("column").value(flaw.column());
        out.name("field").value(flaw.path()).name("message").value(flaw.message()).end();
      }
      out.endList();
    }
    return out.end();
  }
}
