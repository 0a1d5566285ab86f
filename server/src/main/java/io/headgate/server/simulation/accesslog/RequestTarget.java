package io.headgate.server.simulation.accesslog;

/** What a request asks for, as logs write it. */
final class RequestTarget {
  /**
   * The path, also of a whole address such as {@code https://example.com/login}: rules name paths
   * as servers see them.
   */
  static String path(String target, boolean withQuery) {
    String local = withoutServer(target);
    int query = withQuery ? -1 : local.indexOf('?');
    return query < 0 ? local : local.substring(0, query);
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
