package io.headgate.client.outbound;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An item of a {@code RateLimit} or {@code RateLimit-Policy} field
 * (draft-ietf-httpapi-ratelimit-headers-11): a policy name with integer parameters. Other
 * parameters are parsed and dropped.
 *
 * @param name the name of the policy
 * @param numbers the integer parameters, such as {@code r}, {@code t}, {@code q} and {@code w}
 */
record QuotaField(String name, Map<String, Long> numbers) {
  static final int MAX_ITEMS = 32;
  private static final int MAX_LENGTH = 8_192;
  private static final int MAX_DIGITS = 15;

  /**
   * Parses a structured field list (RFC 9651).
   *
   * @return the items; empty if the field is not valid, as the RFC demands
   */
  static List<QuotaField> parse(List<String> lines) {
    String text = String.join(",", lines);
    if (text.length() > MAX_LENGTH) return List.of();
    try {
      return new Parser(text).list();
    } catch (IllegalArgumentException e) {
      return List.of();
    }
  }

  /** A parser of one field. Throws IllegalArgumentException if it is not valid. */
  private static final class Parser {
    private final String text;
    private int at;

    Parser(String text) {
      this.text = text;
    }

    List<QuotaField> list() {
      var items = new ArrayList<QuotaField>();
      skip(" \t");
      while (at < text.length()) {
        require(items.size() < MAX_ITEMS);
        items.add(item());
        skip(" \t");
        if (at == text.length()) break;
        require(next() == ',');
        skip(" \t");
        require(at < text.length()); // no trailing comma
      }
      return items;
    }

    private QuotaField item() {
      String name = peek() == '"' ? string() : token();
      var numbers = new HashMap<String, Long>();
      while (at < text.length() && peek() == ';') {
        at++;
        skip(" ");
        parameter(numbers);
      }
      return new QuotaField(name, Map.copyOf(numbers));
    }

    private void parameter(Map<String, Long> numbers) {
      String key = key();
      if (at == text.length() || peek() != '=') return; // a Boolean
      at++;
      char first = peek();
      if (first == '"') {
        string();
      } else if (first == ':') {
        at = text.indexOf(':', at + 1) + 1;
        require(at > 0);
      } else if (first == '-' || isDigit(first)) {
        number(key, numbers);
      } else {
        token();
      }
    }

    private void number(String key, Map<String, Long> numbers) {
      int start = at;
      if (peek() == '-') at++;
      while (at < text.length() && isDigit(peek())) at++;
      require(at - start <= MAX_DIGITS);
      long value = Long.parseLong(text, start, at, 10);
      if (at < text.length() && peek() == '.') {
        at++;
        while (at < text.length() && isDigit(peek())) at++;
        return; // a decimal, which no known parameter is
      }
      numbers.put(key, value);
    }

    private String key() {
      int start = at;
      while (at < text.length() && isKey(peek())) at++;
      require(at > start);
      return text.substring(start, at);
    }

    private String token() {
      int start = at;
      while (at < text.length() && " \t,;\"=".indexOf(peek()) < 0) at++;
      require(at > start);
      return text.substring(start, at);
    }

    private String string() {
      var value = new StringBuilder();
      at++;
      while (true) {
        char c = next();
        if (c == '"') return value.toString();
        if (c == '\\') c = next();
        require(c >= ' ' && c < 0x7f);
        value.append(c);
      }
    }

    private char peek() {
      require(at < text.length());
      return text.charAt(at);
    }

    private char next() {
      char c = peek();
      at++;
      return c;
    }

    private void skip(String blanks) {
      while (at < text.length() && blanks.indexOf(text.charAt(at)) >= 0) at++;
    }

    private static boolean isDigit(char c) {
      return c >= '0' && c <= '9';
    }

    private static boolean isKey(char c) {
      return (c >= 'a' && c <= 'z') || isDigit(c) || "_-.*".indexOf(c) >= 0;
    }

    private static void require(boolean ok) {
      if (!ok) throw new IllegalArgumentException("not a structured field");
    }
  }
}
