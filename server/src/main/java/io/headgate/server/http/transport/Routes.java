package io.headgate.server.http.transport;

import io.headgate.http.TextSyntax;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.Role;
import io.vertx.core.http.HttpMethod;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The routing table of the API. */
public final class Routes {
  private final Map<String, Map<HttpMethod, Route>> byPath = new HashMap<>();
  private final Map<String, Map<HttpMethod, Route>> byPrefix = new HashMap<>();
  private final Map<String, Route> fallbacks = new HashMap<>();

  /**
   * Adds a route. A {@code *} as the last segment of the path, or as the last but one, matches any
   * segment.
   */
  public Routes add(HttpMethod method, String path, Route route) {
    boolean prefix = path.endsWith("/*");
    var table = prefix ? byPrefix : byPath;
    String key = prefix ? path.substring(0, path.length() - 1) : path;
    table.computeIfAbsent(key, k -> new HashMap<>()).put(method, route);
    return this;
  }

  /** Adds a route whose requests are traced. */
  public Routes traced(HttpMethod method, String path, Route route) {
    return add(method, path, route.tracedAs(path));
  }

  /** Adds a traced route for the methods of a path that have no route of their own. */
  public Routes anyOtherMethod(String path, Route route) {
    fallbacks.put(path, route.tracedAs(path));
    return this;
  }

  /** Returns each method of each path, such as {@code GET /v1/rules/*}. */
  public Set<String> names() {
    var names = new TreeSet<String>();
    byPath.forEach((path, methods) -> methods.keySet().forEach(m -> names.add(m + " " + path)));
    byPrefix.forEach(
        (path, methods) -> methods.keySet().forEach(m -> names.add(m + " " + path + "*")));
    return names;
  }

  /**
   * Returns the route of a request.
   *
   * @throws ProblemException with status 404 or 405 if there is none
   */
  Route find(HttpMethod method, String path) {
    var methods = methods(path);
    var route = methods.get(method.equals(HttpMethod.HEAD) ? HttpMethod.GET : method);
    if (route != null) return route;
    var other = fallbacks.get(path);
    if (other != null) return other;
    if (method.equals(HttpMethod.OPTIONS)) {
      String allow = allow(methods);
      return new Route(
          Role.PUBLIC, Route.NO_BODY, (exchange, body) -> exchange.header("Allow", allow).end(204));
    }
    throw new ProblemException(
        ProblemDocument.of(
                405,
                "%s does not support %s; use %s"
                    .formatted(
                        TextSyntax.excerpt(path),
                        TextSyntax.excerpt(method.name()),
                        allow(methods)))
            .with("Allow", allow(methods)));
  }

  private Map<HttpMethod, Route> methods(String path) {
    var methods = byPath.get(path);
    if (methods != null) return methods;
    int last = path.lastIndexOf('/') + 1;
    methods = last < path.length() ? byPrefix.get(path.substring(0, last)) : null;
    if (methods != null) return methods;
    int lastButOne = path.lastIndexOf('/', last - 2) + 1;
    methods = lastButOne < last - 1 ? byPath.get(starred(path, lastButOne, last)) : null;
    if (methods != null) return methods;
    throw new ProblemException(
        ProblemDocument.of(
            404,
            "there is no endpoint %s; GET / lists all endpoints"
                .formatted(TextSyntax.excerpt(path))));
  }

  private static String starred(String path, int from, int to) {
    return path.substring(0, from) + "*/" + path.substring(to);
  }

  private static String allow(Map<HttpMethod, Route> methods) {
    var names = new TreeSet<String>();
    for (var method : methods.keySet()) names.add(method.name());
    if (names.contains("GET")) names.add("HEAD");
    names.add("OPTIONS");
    return String.join(", ", names);
  }
}
