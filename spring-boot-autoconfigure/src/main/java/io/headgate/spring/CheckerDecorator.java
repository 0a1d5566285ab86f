package io.headgate.spring;

import io.headgate.http.RequestChecker;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Wraps the checkers of filters and annotated methods, such as to observe their checks. Beans of
 * this type are applied in their order, so that the last one is the outermost.
 */
@FunctionalInterface
public interface CheckerDecorator {
  /** Returns a checker that decides by the given one. */
  RequestChecker decorate(RequestChecker checker);

  /** Returns a decorator that applies all beans in their order. */
  static CheckerDecorator of(ObjectProvider<CheckerDecorator> beans) {
    var all = beans.orderedStream().toList();
    return checker -> {
      var decorated = checker;
      for (var decorator : all) decorated = decorator.decorate(decorated);
      return decorated;
    };
  }
}
