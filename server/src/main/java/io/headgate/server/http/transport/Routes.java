package io.headgate.server.http.transport;

import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.Role;
import io.headgate.server.api.TextSyntax;
import io.vertx.core.http.HttpMethod;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Which path and method is served by what. */
public final class Routes {
  private final Map<String, Map<HttpMethod, Route>> byPath = new HashMap<>();
  private final Map<String, Map<HttpMethod, Route>> byPrefix = new HashMap<>();
  private final Map<String, Route> ofAnyMethod = new HashMap<>();

  /** A {@code *} as the last segment of a path, or as the last but one, stands for any. */
  public Routes add(HttpMethod method, String path, Route route) {
    boolean prefix = path.endsWith("/*");
    var table = prefix ? byPrefix : byPath;
    String key = prefix ? path.substring(0, path.length() - 1) : path;
    table.computeIfAbsent(key, k -> new HashMap<>()).put(method, route);
    return this;
  }

  /** As above, for what decides: its requests can be followed. */
  public Routes traced(HttpMethod method, String path, Route route) {
    return add(method, path, route.tracedAs(path));
  }

  /** Serves requests for a path by methods that have no route of their own. */
  public Routes anyOtherMethod(String path, Route route) {
    ofAnyMethod.put(path, route.tracedAs(path));
    return this;
  }

  /** Each method of each path, such as {@code GET /v1/rules/*}. */
  public Set<String> names() {
    var names = new TreeSet<String>();
    byPath.forEach((path, methods) -> methods.keySet().forEach(m -> names.add(m + " " + path)));
    byPrefix.forEach(
        (path, methods) -> methods.keySet().forEach(m -> names.add(m + " " + path + "*")));
    return names;
  }

  Route find(HttpMethod method, String path) {
    var methods = methods(path);
    var route = methods.get(method.equals(HttpMethod.HEAD) ? HttpMethod.GET : method);
    if (route != null) return route;
    var other = ofAnyMethod.get(path);
    if (other != null) return other;
    if (method.equals(HttpMethod.OPTIONS)) {
      String allow = allow(methods);
      return new Route(
          Role.ANYBODY,
          Route.NO_BODY,
          (exchange, body) -> exchange.header("Allow", allow).end(204));
    }
    throw new ProblemException(
        ProblemDocument.of(
                405,
                "%s does not take %s; use %s"
                    .formatted(
                        TextSyntax.shown(path), TextSyntax.shown(method.name()), allow(methods)))
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
            "there is nothing at %s; GET / lists what there is".formatted(TextSyntax.shown(path))));
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
