package io.headgate.server.cli;

import io.headgate.server.cli.output.JsonReply;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Turns the problem document of a service into the message of a command. Where the document advises
 * an HTTP call, the message names the command that makes it.
 */
final class ProblemText {
  private static final Pattern CALL =
      Pattern.compile("(?:GET|HEAD|POST|PUT|PATCH|DELETE) /[^\\s;,]*");
  private static final Pattern LAST_CLAUSE = Pattern.compile("; [^;]*$");
  private static final String NO_ENDPOINT = "there is no endpoint ";

  private static final Map<String, String> COMMANDS =
      Map.of(
          "POST /v1/check", "check",
          "POST /v1/explain", "explain",
          "POST /v1/slots", "slots acquire",
          "POST /v1/reset", "reset",
          "GET /v1/rules", "rules list",
          "PUT /v1/rules", "rules apply",
          "GET /v1/revisions", "rules history",
          "GET /v1/callers", "callers",
          "GET /v1/stats", "status");

  /**
   * Returns the message.
   *
   * @param problem the problem document, which has a detail
   * @param target the service and the token that the request had
   */
  static String of(int status, JsonReply problem, ServiceClient.Target target) {
    String detail = problem.at("detail").text();
    if (status == 401) {
      return target.token().isPresent()
          ? "the service at %s does not accept this token; check --token or HEADGATE_TOKEN"
              .formatted(target.shownUrl())
          : "the service at %s needs a token; give it with --token or HEADGATE_TOKEN"
              .formatted(target.shownUrl());
    }
    if (status == 403 && detail.contains("token of role")) {
      return detail + ", with --token or HEADGATE_TOKEN";
    }
    if (status == 404 && detail.startsWith(NO_ENDPOINT)) {
      return "the service at %s does not support this command; it may be older than this program"
          .formatted(target.shownUrl());
    }
    String text = withCommands(detail) + problems(problem);
    return status < 500 ? text : "the service reports an error (%d): %s".formatted(status, text);
  }

  private static String withCommands(String detail) {
    var call = CALL.matcher(detail);
    if (!call.find()) return detail;
    String command = COMMANDS.get(call.group());
    return command == null
        ? LAST_CLAUSE.matcher(detail).replaceFirst("")
        : call.replaceFirst("'headgate " + command + "'");
  }

  /** Returns the problems of rules, which the detail does not contain. */
  private static String problems(JsonReply problem) {
    return problem.at("problems").items().stream()
        .map(one -> "\n  %s: %s".formatted(one.at("field").text(), one.at("message").text()))
        .collect(Collectors.joining());
  }

  private ProblemText() {}
}
