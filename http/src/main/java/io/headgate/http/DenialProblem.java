package io.headgate.http;

import io.headgate.CheckResult;
import io.headgate.LimitReport;
import io.headgate.limit.Algorithm;
import java.util.List;
import java.util.StringJoiner;

/**
 * The problem document of a denial (RFC 9457), with the problem types that IANA registers for rate
 * limits.
 *
 * @param type the URI of the problem type; {@code about:blank} if a rule denies every request
 * @param title the title of the type; the reason phrase of the status if the type is blank
 * @param status the HTTP status
 * @param violatedPolicies the limits that refused
 */
public record DenialProblem(String type, String title, int status, List<String> violatedPolicies) {
  /** The media type of problem documents. */
  public static final String MEDIA_TYPE = "application/problem+json";

  private static final String TYPES = "https://iana.org/assignments/http-problem-types#";

  /** Copies the list. */
  public DenialProblem {
    violatedPolicies = List.copyOf(violatedPolicies);
  }

  /** Returns the problem of a denied request, with the status of the rule that denied. */
  public static DenialProblem of(CheckResult result) {
    return of(result, ResultStatus.of(result));
  }

  /** Returns the problem of a denied request with a given status. */
  public static DenialProblem of(CheckResult result, int status) {
    var violated = result.violated();
    return switch (result.limit().map(LimitReport::algorithm).orElse(Algorithm.UNLIMITED)) {
      case DENY -> new DenialProblem("about:blank", reasonPhrase(status), status, violated);
      case SHED ->
          new DenialProblem(
              TYPES + "temporary-reduced-capacity", "Temporary reduced capacity", status, violated);
      default -> new DenialProblem(TYPES + "quota-exceeded", "Quota exceeded", status, violated);
    };
  }

  /**
   * Returns the document as JSON. Needs no escapes: names of rules and limits consist of letters,
   * digits and a few characters other than quotes.
   */
  public String json() {
    var policies = new StringJoiner("\",\"", "\"", "\"").setEmptyValue("");
    for (var policy : violatedPolicies) policies.add(policy);
    return "{\"type\":\"%s\",\"title\":\"%s\",\"status\":%d,\"violated-policies\":[%s]}"
        .formatted(type, title, status, policies);
  }

  private static String reasonPhrase(int status) {
    return switch (status) {
      case 400 -> "Bad Request";
      case 401 -> "Unauthorized";
      case 402 -> "Payment Required";
      case 403 -> "Forbidden";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 408 -> "Request Timeout";
      case 409 -> "Conflict";
      case 410 -> "Gone";
      case 413 -> "Content Too Large";
      case 421 -> "Misdirected Request";
      case 422 -> "Unprocessable Content";
      case 423 -> "Locked";
      case 425 -> "Too Early";
      case 428 -> "Precondition Required";
      case 429 -> "Too Many Requests";
      case 451 -> "Unavailable For Legal Reasons";
      case 500 -> "Internal Server Error";
      case 501 -> "Not Implemented";
      case 502 -> "Bad Gateway";
      case 503 -> "Service Unavailable";
      case 504 -> "Gateway Timeout";
      case 507 -> "Insufficient Storage";
      default -> status < 500 ? "Client Error (4xx)" : "Server Error (5xx)";
    };
  }
}
