package io.headgate.server.http.check;

import io.headgate.server.api.HeaderText;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;

/**
 * The path of a request as rules see it: one place has one path, however it is written, so that no
 * spelling gets around a rule.
 *
 * <p>The query is left out, percent signs are decoded once, {@code //} counts as {@code /}, dots
 * are followed and what comes behind a semicolon in a segment is left out (some servers ignore it).
 * Control characters and bytes that are no UTF-8 are escaped as {@link HeaderText} does. Small and
 * capital letters stay as they are, and so does a slash at the end.
 */
public final class NormalizedPath {
  /**
   * @param uri as in the first line of the request, a char for each byte
   */
  public static String of(String uri) {
    return followed(HeaderText.printable(decoded(withoutQuery(withoutOrigin(uri)))));
  }

  /** A proxy may be asked for {@code http://host/path}. */
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

  private static String followed(String path) {
    var segments = new ArrayDeque<String>();
    boolean open = true; // whether the path ends in a slash
    for (var part : path.split("/", -1)) {
      int semicolon = part.indexOf(';');
      String segment = semicolon < 0 ? part : part.substring(0, semicolon);
      open = segment.isEmpty() || segment.equals(".") || segment.equals("..");
      if (segment.equals("..")) segments.pollLast();
      else if (!open) segments.addLast(segment);
    }
    if (segments.isEmpty()) return "/";
    return "/" + String.join("/", segments) + (open ? "/" : "");
  }

  private NormalizedPath() {}
}
