package io.headgate.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * Removes events from a failing script while it still fails, in ever smaller pieces (delta
 * debugging).
 */
final class Shrinker {
  private static final int MAX_RUNS = 3_000;

  private final Scenario scenario;
  private int runs;

  Shrinker(Scenario scenario) {
    this.scenario = scenario;
  }

  /** Returns the smallest failing script found within {@value #MAX_RUNS} runs. */
  RunScript shrink(RunScript failing) {
    var best = failing;
    for (int parts = 2; runs < MAX_RUNS; ) {
      int size = Math.max(1, best.events().size() / parts);
      var smaller = without(best, size);
      if (smaller != null) {
        best = smaller;
      } else if (size == 1) {
        break;
      } else {
        parts *= 2;
      }
    }
    return best;
  }

  private @org.jspecify.annotations.Nullable RunScript without(RunScript script, int size) {
    List<Event> events = script.events();
    boolean shrunk = false;
    for (int from = 0; from < events.size() && runs < MAX_RUNS; ) {
      var fewer = new ArrayList<>(events);
      fewer.subList(from, Math.min(events.size(), from + size)).clear();
      runs++;
      if (scenario.run(script.withEvents(fewer), false).failure() != null) {
        events = fewer;
        shrunk = true;
      } else {
        from += size;
      }
    }
    return shrunk ? script.withEvents(events) : null;
  }
}
