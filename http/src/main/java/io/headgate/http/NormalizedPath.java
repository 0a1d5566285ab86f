package io.headgate.http;

import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;

/**
 * Normalizes the path of a request, so that all spellings of one resource match the same rules.
 *
 * <p>The query is removed, percent-encoding is decoded once, {@code //} counts as {@code /}, dot
 * segments are resolved, and path parameters (after a semicolon in a segment) are removed, since
 * some servers ignore them. Control characters and bytes that are not UTF-8 are escaped as by
 * {@link HeaderText}. Case and a trailing slash are preserved.
 */
public final class NormalizedPath {
  /**
   * Returns the normalized path.
   *
   * @param uri the request target, one char per byte
   */
  public static String of(String uri) {
    return isNormal(uri) ? uri : normalized(uri);
  }

  /** Returns whether the target is an ordinary path, which is most common and needs no copy. */
  private static boolean isNormal(String uri) {
    if (uri.isEmpty() || uri.charAt(0) != '/') return false;
    char previous = ' ';
    for (int i = 0; i < uri.length(); i++) {
      char c = uri.charAt(i);
      if (previous == '/' && (c == '/' || c == '.')) return false;
      if (c <= ' ' || c > '~' || c == '%' || c == ';' || c == '?' || c == '#') return false;
      previous = c;
    }
    return true;
  }

  static String normalized(String uri) {
    return resolved(HeaderText.printable(decoded(withoutQuery(withoutOrigin(uri)))));
  }

  /**
   * Removes scheme and authority: the target of a request to a proxy may be {@code
   * http://host/path}.
   */
  private static String withoutOrigin(String uri) {
    int scheme = uri.indexOf("://");
    if (scheme <= 0 || !uri.substring(0, scheme).matches("[A-Za-z][A-Za-z0-9+.-]*")) return uri;
    for (int i = scheme + 3; i < uri.length(); i++) {
      char c = uri.charAt(i);
      if (c == '/' || c == '?' || c == '#') return uri.substring(i);
    }
    return "/";
  }

  private static String withoutQuery(String uri) {
    for (int i = 0; i < uri.length(); i++) {
      if (uri.charAt(i) == '?' || uri.charAt(i) == '#') return uri.substring(0, i);
    }
    return uri;
  }

  private static byte[] decoded(String path) {
    var out = new ByteArrayOutputStream(path.length());
    for (int i = 0; i < path.length(); i++) {
      int value = path.charAt(i) == '%' ? hex(path, i + 1) : -1;
      if (value >= 0) {
        out.write(value);
        i += 2;
      } else {
        out.write(path.charAt(i));
      }
    }
    return out.toByteArray();
  }

  private static int hex(String text, int at) {
    if (at + 2 > text.length()) return -1;
    int high = digit(text.charAt(at));
    int low = digit(text.charAt(at + 1));
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }

  private static int digit(char c) {
    return c < 0x80 ? Character.digit(c, 16) : -1;
  }

  private static String resolved(String path) {
    var segments = new ArrayDeque<String>();
    boolean trailingSlash = true;
    for (var part : path.split("/", -1)) {
      int semicolon = part.indexOf(';');
      String segment = semicolon < 0 ? part : part.substring(0, semicolon);
      trailingSlash = segment.isEmpty() || segment.equals(".") || segment.equals("..");
      if (segment.equals("..")) segments.pollLast();
      else if (!trailingSlash) segments.addLast(segment);
    }
    if (segments.isEmpty()) return "/";
    return "/" + String.join("/", segments) + (trailingSlash ? "/" : "");
  }

  private NormalizedPath() {}
}
