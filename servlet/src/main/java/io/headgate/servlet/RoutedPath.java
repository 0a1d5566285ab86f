package io.headgate.servlet;

import io.headgate.http.AmbiguousPathException;
import io.headgate.http.NormalizedPath;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * The path by which a request is routed: by the container, which selects the servlet, and by a
 * framework in it, such as Spring MVC and JAX-RS, which reads the raw path. If they differ, the
 * path is ambiguous.
 *
 * <p>The context path is that of the application: a filter for forwarding headers may put a prefix
 * that the client chose in place of the request's.
 */
final class RoutedPath {
  /**
   * Returns the path.
   *
   * @throws AmbiguousPathException if container and frameworks may read it in different ways
   */
  static String of(HttpServletRequest request) {
    String raw = request.getRequestURI();
    String context = orEmpty(request.getContextPath());
    if (!raw.startsWith(context)) {
      throw new AmbiguousPathException("another context path than the application");
    }
    String path = NormalizedPath.of(raw.substring(context.length()));
    String routed = routed(request);
    // A container may route a directory to its welcome file.
    boolean same =
        routed.isEmpty() || routed.equals(path) || (path.endsWith("/") && routed.startsWith(path));
    if (!same) throw new AmbiguousPathException("another form for the container");
    return context.isEmpty() ? path : contextOf(request, context) + path;
  }

  /** Returns the path of the container's routing; empty if it has none, as in some tests. */
  private static String routed(HttpServletRequest request) {
    try {
      String servlet = orEmpty(request.getServletPath());
      String rest = orEmpty(request.getPathInfo());
      return rest.isEmpty() ? servlet : servlet + rest;
    } catch (IllegalArgumentException e) { // Jetty, for a path that it does not decode
      throw new AmbiguousPathException("a form that the container does not decode");
    }
  }

  private static String contextOf(HttpServletRequest request, String context) {
    var servlets = request.getServletContext();
    return servlets == null ? NormalizedPath.of(context) : orEmpty(servlets.getContextPath());
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private RoutedPath() {}
}
