package io.headgate.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** The headers in which proxies report the address of their client, with the syntax of each. */
public enum ForwardedHeader {
  /** The address of the client alone. */
  X_REAL_IP("X-Real-IP"),
  /** The addresses of the client and of the proxies that the request passed. */
  X_FORWARDED_FOR("X-Forwarded-For"),
  /** The standard form of the same (RFC 7239). */
  FORWARDED("Forwarded");

  /** The number of hops that are read, counted from the nearest; real requests have fewer. */
  static final int MAX_HOPS = 32;

  private final String field;

  ForwardedHeader(String field) {
    this.field = field;
  }

  /** Returns the name of the header field. */
  public String field() {
    return field;
  }

  /** Returns the header of this name, in any case; empty if there is none. */
  static Optional<ForwardedHeader> find(String name) {
    for (var header : values()) {
      if (header.field.equalsIgnoreCase(name)) return Optional.of(header);
    }
    return Optional.empty();
  }

  /**
   * Returns the hops in the lines of this header, the nearest first. A hop that is not an address
   * is included as empty, because hops beyond it are not trustworthy.
   */
  List<Optional<ClientAddress>> hops(List<String> lines) {
    var hops = new ArrayList<Optional<ClientAddress>>();
    for (var line : lines.reversed()) {
      var elements = this == FORWARDED ? split(line, ',') : List.of(line.split(",", -1));
      for (var element : elements.reversed()) {
        if (hops.size() == MAX_HOPS) return hops;
        hops.add(node(this == FORWARDED ? forParameter(element) : element.strip()));
      }
    }
    return hops;
  }

  /** Returns the value of {@code for=} in one element of RFC 7239; empty if there is none. */
  private static String forParameter(String element) {
    for (var pair : split(element, ';')) {
      int equals = pair.indexOf('=');
      if (equals < 0) continue;
      if (!pair.substring(0, equals).strip().toLowerCase(Locale.ROOT).equals("for")) continue;
      return unquoted(pair.substring(equals + 1).strip());
    }
    return "";
  }

  private static String unquoted(String value) {
    if (value.length() < 2 || !value.startsWith("\"") || !value.endsWith("\"")) return value;
    return value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1");
  }

  /**
   * Parses {@code 192.0.2.1}, {@code 192.0.2.1:80}, {@code 2001:db8::1} or {@code
   * [2001:db8::1]:80}.
   */
  private static Optional<ClientAddress> node(String text) {
    if (text.startsWith("[")) {
      int end = text.indexOf(']');
      if (end < 0 || !isPort(text.substring(end + 1))) return Optional.empty();
      return ClientAddress.parse(text.substring(1, end));
    }
    int colon = text.indexOf(':');
    boolean single = colon >= 0 && text.indexOf(':', colon + 1) < 0;
    if (!single) return ClientAddress.parse(text);
    return isPort(text.substring(colon))
        ? ClientAddress.parse(text.substring(0, colon))
        : Optional.empty();
  }

  /**
   * Returns whether the text is empty, or a colon and a port, which RFC 7239 allows to be
   * obfuscated.
   */
  private static boolean isPort(String text) {
    return text.isEmpty() || text.matches(":([0-9]{1,5}|_[A-Za-z0-9._-]{1,64})");
  }

  /**
   * Splits at the separators outside of quotes. A client may leave a quote open in front of the
   * part that the proxy appends, so that the quote hides it; if quotes are not balanced they have
   * no special meaning.
   */
  private static List<String> split(String text, char separator) {
    var parts = new ArrayList<String>();
    boolean quoted = false;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quoted && c == '\\') {
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == separator && !quoted) {
        parts.add(text.substring(start, i));
        start = i + 1;
      }
    }
    if (quoted) return List.of(text.split(Pattern.quote(String.valueOf(separator)), -1));
    parts.add(text.substring(start));
    return parts;
  }
}
