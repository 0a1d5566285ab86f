package io.headgate.server.http.check;

import io.headgate.http.ClientAddress;
import io.headgate.http.HeaderText;
import io.headgate.http.PathReadings;
import io.headgate.http.PathReadings.Parameters;
import io.headgate.http.TextSyntax;
import io.headgate.http.TruncatedText;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.server.api.ProblemException;
import io.vertx.core.MultiMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Maps the headers in which a proxy describes a request to a request of the limiter.
 *
 * <p>Clients choose many of the values, so any bytes and any length are mapped to an attribute. A
 * cost that can't be parsed counts as the highest, which no limit allows.
 */
public final class ForwardAuthHeaders {
  static final String KEY = "X-Headgate-Key";
  static final String COST = "X-Headgate-Cost";
  static final String DENY_STATUS = "X-Headgate-Deny-Status";

  /** The status that every proxy treats as a denial. */
  public static final int FORBIDDEN = 403;

  static final String MAX_WAIT = "X-Headgate-Max-Wait-Ms";

  /** What the application does with path parameters: {@code remove}, if the proxy knows it. */
  static final String PATH_PARAMETERS = "X-Headgate-Path-Parameters";

  private static final String PREFIX = "x-headgate-";
  private static final String ATTRIBUTE = "x-headgate-attr-";
  private static final String NAMED_COST = "x-headgate-cost-";

  private final MultiMap headers;
  private final Map<String, String> attributes = new LinkedHashMap<>();
  private final Map<String, Long> costs = new LinkedHashMap<>();

  private ForwardAuthHeaders(MultiMap headers) {
    this.headers = headers;
  }

  /**
   * Maps the headers to a request, in each way in which the application may read the path and the
   * method. An ordinary request has one reading. The first is the one to charge.
   *
   * @throws ProblemException for errors of the proxy's configuration: a header that is unknown or
   *     given twice, two that contradict each other, or too many attributes or costs
   * @throws io.headgate.http.AmbiguousPathException if the path has too many readings
   */
  public static List<Request> read(MultiMap headers, ClientAddress caller) {
    return new ForwardAuthHeaders(headers).read(caller);
  }

  /**
   * Returns the status that the proxy requires for denials, if it can't forward the rule's. A value
   * that is not an error status counts as 403, which every proxy treats as a denial.
   */
  public static Optional<Integer> denyStatus(MultiMap headers) {
    var lines = headers.getAll(DENY_STATUS);
    if (lines.isEmpty() || (lines.size() == 1 && lines.getFirst().isEmpty())) {
      return Optional.empty();
    }
    String wanted = lines.getFirst();
    boolean usable = lines.size() == 1 && wanted.matches("[45][0-9]{2}");
    return Optional.of(usable ? Integer.parseInt(wanted) : FORBIDDEN);
  }

  /**
   * Returns the proxy's timeout in milliseconds; empty if it is not given.
   *
   * @throws ProblemException with status 400 if the value is not a number
   */
  public static OptionalLong maxWaitMillis(MultiMap headers) {
    var given = new ForwardAuthHeaders(headers).one(MAX_WAIT);
    if (given.isEmpty()) return OptionalLong.empty();
    if (!given.get().matches("[0-9]{1,9}")) {
      throw ProblemException.badInput(
          MAX_WAIT,
          "must be a whole number of milliseconds, got '%s'"
              .formatted(TextSyntax.excerpt(given.get())));
    }
    return OptionalLong.of(Long.parseLong(given.get()));
  }

  private List<Request> read(ClientAddress caller) {
    one(KEY).ifPresent(key -> put(KEY, Subject.KEY, text(key)));
    put("ip", "ip", caller.toString());
    var paths =
        oneOfAliases("X-Original-URI", "X-Forwarded-Uri")
            .map(uri -> PathReadings.of(uri, pathParameters()))
            .orElse(List.of());
    if (!paths.isEmpty()) put("X-Original-URI", "path", paths.getFirst());
    var methods =
        oneOfAliases("X-Original-Method", "X-Forwarded-Method")
            .map(method -> methods(text(method)))
            .orElse(List.of());
    if (!methods.isEmpty()) put("X-Original-Method", "method", methods.getFirst());
    oneOfAliases("X-Original-Host", "X-Forwarded-Host")
        .or(() -> one("Host"))
        .map(host -> hostOnly(text(host)))
        .filter(host -> !host.isEmpty())
        .ifPresent(host -> put("X-Original-Host", "host", host));
    for (var name : headers.names()) {
      String lowerCase = name.toLowerCase(Locale.ROOT);
      if (lowerCase.startsWith(PREFIX)) readHeadgateHeader(name, lowerCase);
    }
    long cost = one(COST).map(ForwardAuthHeaders::cost).orElse(1L);
    var subjects = each("method", methods, each("path", paths, List.of(Subject.of(attributes))));
    return subjects.stream().map(subject -> new Request(subject, cost, costs)).toList();
  }

  /** Returns the subjects with each value of an attribute, the given subjects first. */
  private static List<Subject> each(String name, List<String> values, List<Subject> subjects) {
    if (values.size() < 2) return subjects;
    var all = new ArrayList<Subject>();
    for (var value : values) {
      for (var subject : subjects) all.add(subject.with(name, TruncatedText.of(value)));
    }
    return all;
  }

  /** Methods are case-sensitive, but not in every application. */
  private static List<String> methods(String method) {
    String upperCase = method.toUpperCase(Locale.ROOT);
    return method.equals(upperCase) ? List.of(method) : List.of(upperCase, method);
  }

  private Parameters pathParameters() {
    String value = one(PATH_PARAMETERS).orElse("unknown");
    return switch (value) {
      case "unknown" -> Parameters.UNKNOWN;
      case "remove" -> Parameters.REMOVED;
      default ->
          throw ProblemException.badInput(
              PATH_PARAMETERS,
              "must be remove or unknown, got '%s'".formatted(TextSyntax.excerpt(value)));
    };
  }

  private void readHeadgateHeader(String name, String lowerCase) {
    if (lowerCase.startsWith(ATTRIBUTE)) {
      String attribute = named(name, ATTRIBUTE);
      one(name).ifPresent(value -> put(name, attribute, text(value)));
    } else if (lowerCase.startsWith(NAMED_COST)) {
      String cost = named(name, NAMED_COST);
      if (costs.size() == Request.MAX_NAMED_COSTS) {
        throw ProblemException.badInput(
            name,
            "is one too many; a request may have %d costs".formatted(Request.MAX_NAMED_COSTS));
      }
      one(name).ifPresent(value -> costs.put(cost, cost(value)));
    } else if (!isKnown(lowerCase)) {
      throw ProblemException.badInput(
          TextSyntax.excerpt(name),
          ("is not known; allowed: %s, %s, %s, %s, %s, X-Headgate-Attr-<name>,"
                  + " X-Headgate-Cost-<name>")
              .formatted(KEY, COST, DENY_STATUS, MAX_WAIT, PATH_PARAMETERS));
    }
  }

  private static boolean isKnown(String lowerCase) {
    return lowerCase.equalsIgnoreCase(KEY)
        || lowerCase.equalsIgnoreCase(COST)
        || lowerCase.equalsIgnoreCase(DENY_STATUS)
        || lowerCase.equalsIgnoreCase(MAX_WAIT)
        || lowerCase.equalsIgnoreCase(PATH_PARAMETERS);
  }

  /** Returns the name after the prefix in lower case, since header names are case-insensitive. */
  private static String named(String header, String prefix) {
    String name = header.substring(prefix.length()).toLowerCase(Locale.ROOT);
    if (name.isEmpty() || name.length() > Subject.MAX_NAME_LENGTH) {
      throw ProblemException.badInput(
          TextSyntax.excerpt(header),
          "must end in a name of 1 to %d characters".formatted(Subject.MAX_NAME_LENGTH));
    }
    return name;
  }

  /** Adds an attribute. A second value is an error, since it would override the first. */
  private void put(String header, String attribute, String value) {
    String where = TextSyntax.excerpt(header);
    if (attributes.containsKey(attribute)) {
      throw ProblemException.badInput(
          where, "sets the attribute %s, which is already set".formatted(attribute));
    }
    if (attributes.size() == Subject.MAX_ATTRIBUTES) {
      throw ProblemException.badInput(
          where, "is one too many; a subject may have %d".formatted(Subject.MAX_ATTRIBUTES));
    }
    attributes.put(attribute, TruncatedText.of(value));
  }

  /**
   * Returns the value of a header that proxies name differently. If both names are present, the
   * client may have written one of them, so they must agree.
   */
  private Optional<String> oneOfAliases(String name, String alias) {
    var first = one(name);
    var second = one(alias);
    if (first.isPresent() && second.isPresent() && !first.get().equals(second.get())) {
      throw ProblemException.badInput(
          name, "and %s differ; have the proxy remove the one it does not set".formatted(alias));
    }
    return first.or(() -> second);
  }

  /** Returns the only line of a header, one char per byte; an empty line counts as absent. */
  private Optional<String> one(String name) {
    List<String> lines = headers.getAll(name);
    if (lines.size() > 1) {
      throw ProblemException.badInput(
          TextSyntax.excerpt(name), "is given %d times; send it once".formatted(lines.size()));
    }
    return lines.stream().filter(line -> !line.isEmpty()).findFirst();
  }

  private static String text(String line) {
    return HeaderText.printable(line.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static long cost(String text) {
    long value = text.matches("[0-9]{1,16}") ? Long.parseLong(text) : Request.MAX_COST;
    return Math.min(value, Request.MAX_COST);
  }

  /** Returns the canonical form of a host: lower case, no port, no trailing dot. */
  private static String hostOnly(String host) {
    int end = host.startsWith("[") ? host.indexOf(']') + 1 : host.indexOf(':');
    String name = end <= 0 ? host : host.substring(0, end);
    String bare = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    return bare.toLowerCase(Locale.ROOT);
  }
}
