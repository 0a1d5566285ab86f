package io.headgate.spring.webflux;

import io.headgate.http.ClientAddress;
import io.headgate.http.NormalizedPath;
import io.headgate.http.RequestAttributes;
import io.headgate.http.TrustedProxies;
import io.headgate.rule.Request;
import io.headgate.spring.HeadgateProperties;
import io.headgate.spring.web.ProxySettings;
import io.headgate.spring.web.RoutePatterns;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * The default mapping, with the attributes of the servlet filter: {@code user}, {@code ip}, {@code
 * method}, {@code path}, {@code route} and headers as configured. Thread-safe.
 */
final class DefaultReactiveSubjectResolver implements ReactiveSubjectResolver {
  private final TrustedProxies proxies;
  private final Map<String, String> headers;
  private final @Nullable RoutePatterns routes;
  private final String basePath;

  /**
   * @param patterns finds the attribute {@code route}; null to leave it out
   * @param basePath the path of the application; empty or with a slash at its start alone
   */
  DefaultReactiveSubjectResolver(
      HeadgateProperties.Web web, @Nullable RoutePatterns patterns, String basePath) {
    this.proxies = ProxySettings.of(web);
    this.headers = web.headers();
    this.routes = patterns;
    this.basePath = basePath;
  }

  @Override
  public Mono<Request> resolve(ServerWebExchange exchange) {
    return exchange
        .getPrincipal()
        .map(Principal::getName)
        .defaultIfEmpty("")
        .map(user -> request(exchange.getRequest(), user));
  }

  private Request request(ServerHttpRequest request, String user) {
    var attributes = new RequestAttributes();
    attributes.add("user", user);
    attributes.add("ip", address(request));
    attributes.add("method", request.getMethod().name());
    attributes.add("path", path(request));
    if (routes != null) {
      attributes.add("route", routes.find(request.getPath().pathWithinApplication()));
    }
    headers.forEach(
        (header, attribute) -> attributes.add(attribute, String.join(",", lines(request, header))));
    return Request.of(attributes.subject());
  }

  /**
   * Returns the path by which handlers are selected, with the path of the application. Any other
   * context path is of {@code X-Forwarded-Prefix}, which a client may have sent.
   */
  private String path(ServerHttpRequest request) {
    var path = request.getPath();
    String within = NormalizedPath.of(path.pathWithinApplication().value());
    return path.contextPath().value().equals(basePath) ? basePath + within : within;
  }

  private String address(ServerHttpRequest request) {
    var peer = ClientAddress.of(request.getRemoteAddress());
    return proxies.caller(peer, name -> lines(request, name)).toString();
  }

  private static List<String> lines(ServerHttpRequest request, String name) {
    return request.getHeaders().getOrEmpty(name);
  }
}
