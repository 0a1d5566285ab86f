package io.headgate.server.watch;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** Figures for tests. */
final class Figuring {
  static CallerFigures caller(String name, double allowed, double error) {
    return new CallerFigures(
        name,
        Map.of("key", name),
        allowed,
        0,
        1,
        0,
        OptionalDouble.of(1),
        1_000,
        2_000,
        error,
        List.of("rule"));
  }

  private Figuring() {}
}
