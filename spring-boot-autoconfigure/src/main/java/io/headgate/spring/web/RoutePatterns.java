package io.headgate.spring.web;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Finds the path pattern of a request among those of the handlers, before a handler is selected. A
 * filter runs earlier than the selection. Thread-safe.
 */
public final class RoutePatterns {
  private final Supplier<? extends Collection<PathPattern>> source;
  private volatile @Nullable List<PathPattern> patterns;

  /**
   * Creates a finder.
   *
   * @param source returns all patterns; called by the first request, when all handlers are known
   */
  public RoutePatterns(Supplier<? extends Collection<PathPattern>> source) {
    this.source = source;
  }

  /**
   * Returns the most specific pattern that matches.
   *
   * @param path the path within the application
   * @return null if none matches
   */
  public @Nullable String find(PathContainer path) {
    var known = patterns;
    if (known == null) {
      known = source.get().stream().distinct().sorted().toList();
      patterns = known;
    }
    for (var pattern : known) {
      if (pattern.matches(path)) return pattern.getPatternString();
    }
    return null;
  }
}
