package io.headgate.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * Removes events from a failing script while it still fails, in ever smaller pieces (delta
 * debugging).
 */
final class Shrinker {
  private static final int MAX_RUNS = 3_000;
  private static final long MAX_NANOS = 60_000_000_000L; // a long history takes a second to run

  private final Scenario scenario;
  private final long start = System.nanoTime();
  private int runs;

  Shrinker(Scenario scenario) {
    this.scenario = scenario;
  }

  /** Returns the smallest failing script found within {@value #MAX_RUNS} runs and a minute. */
  RunScript shrink(RunScript failing) {
    var best = failing;
    for (int parts = 2; !isOver(); ) {
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

  private boolean isOver() {
    return runs >= MAX_RUNS || System.nanoTime() - start > MAX_NANOS;
  }

  private @org.jspecify.annotations.Nullable RunScript without(RunScript script, int size) {
    List<Event> events = script.events();
    boolean shrunk = false;
    for (int from = 0; from < events.size() && !isOver(); ) {
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
