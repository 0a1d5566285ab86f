package io.headgate.server.http.check;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.server.api.ClientAddress;
import io.headgate.server.api.HeaderText;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.TextSyntax;
import io.headgate.server.api.TruncatedText;
import io.vertx.core.MultiMap;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Maps the headers in which a proxy describes a request to a request to the limiter.
 *
 * <p>Callers choose many of the values, so any bytes and any length are mapped to an attribute. A
 * cost that can't be read counts as the highest, which no limit allows.
 */
public final class ForwardAuthHeaders {
  static final String KEY = "X-Headgate-Key";
  static final String COST = "X-Headgate-Cost";
  static final String DENY_STATUS = "X-Headgate-Deny-Status";
  public static final int FORBIDDEN = 403;
  static final String MAX_WAIT = "X-Headgate-Max-Wait-Ms";

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
   * @throws Refusal for headers of which the proxy's configuration is the cause: one that is not
   *     known or given twice, two that contradict each other, more than can be counted
   */
  public static Request read(MultiMap headers, ClientAddress caller) {
    return new ForwardAuthHeaders(headers).read(caller);
  }

  /**
   * The status that the proxy wants for denials, where it can't pass on the rule's. One that is no
   * status of a denial counts as 403, which every proxy takes for a denial.
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

  /** How long the proxy waits for an answer, in milliseconds. */
  public static OptionalLong maxWaitMillis(MultiMap headers) {
    var given = new ForwardAuthHeaders(headers).one(MAX_WAIT);
    if (given.isEmpty()) return OptionalLong.empty();
    if (!given.get().matches("[0-9]{1,9}")) {
      throw ProblemException.badInput(
          MAX_WAIT,
          "must be a whole number of milliseconds, got '%s'"
              .formatted(TextSyntax.shown(given.get())));
    }
    return OptionalLong.of(Long.parseLong(given.get()));
  }

  private Request read(ClientAddress caller) {
    one(KEY).ifPresent(key -> put(KEY, Subject.KEY, text(key)));
    put("ip", "ip", caller.toString());
    same("X-Original-URI", "X-Forwarded-Uri")
        .ifPresent(uri -> put("X-Original-URI", "path", NormalizedPath.of(uri)));
    same("X-Original-Method", "X-Forwarded-Method")
        .ifPresent(method -> put("X-Original-Method", "method", text(method)));
    same("X-Original-Host", "X-Forwarded-Host")
        .or(() -> one("Host"))
        .map(host -> hostOnly(text(host)))
        .filter(host -> !host.isEmpty())
        .ifPresent(host -> put("X-Original-Host", "host", host));
    for (var name : headers.names()) {
      String small = name.toLowerCase(Locale.ROOT);
      if (small.startsWith(PREFIX)) readOwn(name, small);
    }
    long cost = one(COST).map(ForwardAuthHeaders::whole).orElse(1L);
    return new Request(Subject.of(attributes), cost, costs);
  }

  private void readOwn(String name, String small) {
    if (small.startsWith(ATTRIBUTE)) {
      String attribute = named(name, ATTRIBUTE);
      one(name).ifPresent(value -> put(name, attribute, text(value)));
    } else if (small.startsWith(NAMED_COST)) {
      String cost = named(name, NAMED_COST);
      if (costs.size() == Request.MOST_COSTS) {
        throw ProblemException.badInput(
            name, "is one too many; a request may have %d costs".formatted(Request.MOST_COSTS));
      }
      one(name).ifPresent(value -> costs.put(cost, whole(value)));
    } else if (!isKnown(small)) {
      throw ProblemException.badInput(
          TextSyntax.shown(name),
          "is not known; allowed: %s, %s, %s, %s, X-Headgate-Attr-<name>, X-Headgate-Cost-<name>"
              .formatted(KEY, COST, DENY_STATUS, MAX_WAIT));
    }
  }

  private static boolean isKnown(String small) {
    return small.equalsIgnoreCase(KEY)
        || small.equalsIgnoreCase(COST)
        || small.equalsIgnoreCase(DENY_STATUS)
        || small.equalsIgnoreCase(MAX_WAIT);
  }

  /**
   * Names of headers are the same in small and capital letters, so names of attributes are small.
   */
  private static String named(String header, String prefix) {
    String name = header.substring(prefix.length()).toLowerCase(Locale.ROOT);
    if (name.isEmpty() || name.length() > Subject.LONGEST_NAME) {
      throw ProblemException.badInput(
          TextSyntax.shown(header),
          "must end in a name of 1 to %d characters".formatted(Subject.LONGEST_NAME));
    }
    return name;
  }

  /** Two attributes of one name would let the later decide over the earlier. */
  private void put(String header, String attribute, String value) {
    String where = TextSyntax.shown(header);
    if (attributes.containsKey(attribute)) {
      throw ProblemException.badInput(
          where, "gives the attribute %s, which is known already".formatted(attribute));
    }
    if (attributes.size() == Subject.MOST_ATTRIBUTES) {
      throw ProblemException.badInput(
          where, "is one too many; a subject may have %d".formatted(Subject.MOST_ATTRIBUTES));
    }
    attributes.put(attribute, TruncatedText.of(value));
  }

  /**
   * Proxies name the same thing differently. Where both names come, one may be the caller's own, so
   * they must agree.
   */
  private Optional<String> same(String name, String alias) {
    var first = one(name);
    var second = one(alias);
    if (first.isPresent() && second.isPresent() && !first.get().equals(second.get())) {
      throw ProblemException.badInput(
          name, "and %s differ; have the proxy remove the one it does not set".formatted(alias));
    }
    return first.or(() -> second);
  }

  /** One line, a char for each byte; one that is empty counts as none. */
  private Optional<String> one(String name) {
    List<String> lines = headers.getAll(name);
    if (lines.size() > 1) {
      throw ProblemException.badInput(
          TextSyntax.shown(name), "is given %d times; send it once".formatted(lines.size()));
    }
    return lines.stream().filter(line -> !line.isEmpty()).findFirst();
  }

  private static String text(String line) {
    return HeaderText.printable(line.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static long whole(String text) {
    long value = text.matches("[0-9]{1,16}") ? Long.parseLong(text) : Request.HIGHEST_COST;
    return Math.min(value, Request.HIGHEST_COST);
  }

  /** One host has one name: small letters, no port, no dot at the end. */
  private static String hostOnly(String host) {
    int end = host.startsWith("[") ? host.indexOf(']') + 1 : host.indexOf(':');
    String name = end <= 0 ? host : host.substring(0, end);
    String bare = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    return bare.toLowerCase(Locale.ROOT);
  }
}
