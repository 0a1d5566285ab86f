package io.headgate.spring.mvc;

import io.headgate.spring.web.RoutePatterns;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;

/** Determines the attribute {@code route}: the path pattern of the controller of a request. */
final class RouteAttribute {
  private final RoutePatterns patterns;

  /**
   * @param mappings the controllers; read by the first request, since filters are created earlier
   */
  RouteAttribute(ObjectProvider<RequestMappingInfoHandlerMapping> mappings) {
    this.patterns =
        new RoutePatterns(() ->
            mappings
                .orderedStream()
                .flatMap(mapping -> mapping.getHandlerMethods().keySet().stream())
                .flatMap(RouteAttribute::patternsOf)
                .toList());
  }

  private static Stream<PathPattern> patternsOf(RequestMappingInfo info) {
    var condition = info.getPathPatternsCondition();
    return condition == null ? Stream.of() : List.copyOf(condition.getPatterns()).stream();
  }

  /** Returns the pattern; null if no controller has one that matches. */
  @Nullable String of(HttpServletRequest request) {
    boolean parsed = ServletRequestPathUtils.hasParsedRequestPath(request);
    var path = ServletRequestPathUtils.parseAndCache(request); // as the DispatcherServlet does
    if (!parsed) ServletRequestPathUtils.clearParsedRequestPath(request);
    return patterns.find(path.pathWithinApplication());
  }
}
