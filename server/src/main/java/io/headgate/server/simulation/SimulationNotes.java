package io.headgate.server.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What whoever looks at the figures of a trial must know of them. */
public final class SimulationNotes {
  /**
   * @param requests where they are from, such as {@code a log}
   * @param moreKeys how to keep more counters, such as {@code --max-keys keeps more}
   */
  public static List<String> of(Comparison comparison, String requests, String moreKeys) {
    var notes = new ArrayList<String>();
    var before = comparison.before();
    var after = comparison.after();
    if (before.rules().hasConcurrency() || after.rules().hasConcurrency()) {
      notes.add(
          requests
              + " does not say when requests end, so slots of concurrency limits are held for their lease");
    }
    if (before.isCrowded()) notes.add(crowded(before, moreKeys));
    else if (after.isCrowded()) notes.add(crowded(after, moreKeys));
    if (comparison.unlisted() > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%,d requests are of callers beyond the first %,d, who are not listed",
              comparison.unlisted(),
              Comparison.MOST_CALLERS));
    }
    return notes;
  }

  private static String crowded(RuleSimulator bench, String moreKeys) {
    return String.format(
        Locale.ROOT,
        "%,d counters were in use at once, of %,d that are kept at the most: some may have been"
            + " forgotten, so that too few requests are denied; %s",
        bench.mostKeys(),
        bench.room().keys(),
        moreKeys);
  }

  /**
   * @param attributes that rules look at and that no line had
   * @param wayOut how to take something else for them
   */
  public static String missing(List<String> attributes, String wayOut) {
    return "no line has %s, which rules look at; %s"
        .formatted(String.join(", ", attributes), wayOut);
  }

  private SimulationNotes() {}
}
