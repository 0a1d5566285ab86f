package io.headgate.server.simulation.accesslog;

/** Extracts the path from a request target. */
final class RequestTarget {
  /**
   * Returns the path, including that of an absolute URL such as {@code https://example.com/login},
   * since rules name paths as servers see them.
   */
  static String path(String target, boolean withQuery) {
    String path = withoutServer(target);
    int query = withQuery ? -1 : path.indexOf('?');
    return query < 0 ? path : path.substring(0, query);
  }

  private static String withoutServer(String target) {
    int scheme = target.indexOf("://");
    if (scheme <= 0 || !isScheme(target, scheme)) return target;
    for (int i = scheme + 3; i < target.length(); i++) {
      if (target.charAt(i) == '/') return target.substring(i);
      if (target.charAt(i) == '?') return "/" + target.substring(i);
    }
    return "/";
  }

  private static boolean isScheme(String target, int length) {
    for (int i = 0; i < length; i++) {
      char c = target.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      boolean other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
      if (!letter && (i == 0 || !other)) return false;
    }
    return true;
  }

  private RequestTarget() {}
}
