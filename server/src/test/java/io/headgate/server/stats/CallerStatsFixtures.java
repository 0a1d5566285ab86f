package io.headgate.server.stats;

import io.headgate.server.callers.CallerStats;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** Creates caller statistics for tests. */
public final class CallerStatsFixtures {
  public static CallerStats caller(String name, double allowed, double error) {
    return caller(name, Map.of("key", name), allowed, error);
  }

  public static CallerStats caller(String name, Map<String, String> subject, double allowed) {
    return caller(name, subject, allowed, 0);
  }

  private static CallerStats caller(
      String name, Map<String, String> subject, double allowed, double error) {
    return new CallerStats(
        name,
        subject,
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

  private CallerStatsFixtures() {}
}
