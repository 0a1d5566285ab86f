package io.headgate.http;

import java.nio.charset.StandardCharsets;

/**
 * Determines the path of a request as servlet containers and Spring route it: without path
 * parameters (after a semicolon in a segment of the raw path), then percent-decoded once. Case, a
 * trailing slash and blanks are preserved.
 *
 * <p>A path that one of them reads in another way is {@linkplain AmbiguousPathException ambiguous}.
 * For a server that is unknown see {@link PathReadings}.
 */
public final class NormalizedPath {
  /**
   * Returns the path.
   *
   * @param raw the path of a request as it was sent, without a query
   * @throws AmbiguousPathException if it has a dot segment, an empty segment, a slash, backslash or
   *     control character within a segment, or a character or escape that is not valid
   */
  public static String of(String raw) {
    if (isPlain(raw)) return raw;
    if (raw.isEmpty()) return "/";
    if (raw.equals("*")) return "/*"; // OPTIONS *
    if (raw.charAt(0) != '/') throw new AmbiguousPathException("no slash at its start");
    var path = new StringBuilder(raw.length());
    for (int from = 1; from <= raw.length(); ) {
      int slash = raw.indexOf('/', from);
      int to = slash < 0 ? raw.length() : slash;
      path.append('/').append(segment(raw.substring(from, to), slash < 0));
      from = to + 1;
    }
    return path.toString();
  }

  /** Returns whether the path is an ordinary one, which is most common and needs no copy. */
  private static boolean isPlain(String raw) {
    if (raw.isEmpty() || raw.charAt(0) != '/') return false;
    char previous = ' ';
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (previous == '/' && (c == '/' || c == '.')) return false;
      if (!isUriCharacter(c) || c == '%' || c == ';') return false;
      previous = c;
    }
    return true;
  }

  private static String segment(String raw, boolean last) {
    for (int i = 0; i < raw.length(); i++) {
      if (!isUriCharacter(raw.charAt(i))) {
        throw new AmbiguousPathException("a character that a URI can't have");
      }
    }
    int semicolon = raw.indexOf(';');
    String name = semicolon < 0 ? raw : raw.substring(0, semicolon);
    if (name.isEmpty() && !(last && raw.isEmpty())) {
      throw new AmbiguousPathException("an empty segment");
    }
    return decoded(name);
  }

  private static boolean isUriCharacter(char c) {
    return c > ' ' && c <= '~' && c != '\\' && c != '?' && c != '#';
  }

  private static String decoded(String name) {
    if (PercentEncoding.hasInvalidEscape(name)) {
      throw new AmbiguousPathException("a percent sign without two hexadecimal digits");
    }
    var bytes = PercentEncoding.decode(name);
    if (!TextSyntax.isUtf8(bytes)) throw new AmbiguousPathException("bytes that are not UTF-8");
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (TextSyntax.flaw(text).isPresent()) {
      throw new AmbiguousPathException("a control character");
    }
    if (text.indexOf('/') >= 0 || text.indexOf('\\') >= 0) {
      throw new AmbiguousPathException("an encoded slash or backslash");
    }
    if (text.equals(".") || text.equals("..")) throw new AmbiguousPathException("a dot segment");
    return HeaderText.printable(bytes);
  }

  private NormalizedPath() {}
}
