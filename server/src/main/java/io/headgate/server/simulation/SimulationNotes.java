package io.headgate.server.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Creates notes about the limitations of a simulation result. */
public final class SimulationNotes {
  /**
   * Returns the notes of a comparison.
   *
   * @param requests source of the requests, such as {@code a log}
   * @param moreKeys how to keep more counters, such as {@code --max-keys keeps more}
   */
  public static List<String> of(Comparison comparison, String requests, String moreKeys) {
    var notes = new ArrayList<String>();
    var before = comparison.before();
    var after = comparison.after();
    if (before.rules().hasConcurrency() || after.rules().hasConcurrency()) {
      notes.add(
          requests
              + " does not record when requests end, so slots of concurrency limits are held for their lease");
    }
    if (before.mayHaveEvicted()) notes.add(evicted(before, moreKeys));
    else if (after.mayHaveEvicted()) notes.add(evicted(after, moreKeys));
    if (comparison.unlisted() > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%,d requests come from callers beyond the first %,d, which are not listed",
              comparison.unlisted(),
              Comparison.MAX_CALLERS));
    }
    return notes;
  }

  private static String evicted(RuleSimulator simulator, String moreKeys) {
    return String.format(
        Locale.ROOT,
        "%,d of at most %,d counters were in use at once: some may have been evicted, so that too"
            + " few requests are denied; %s",
        simulator.peakKeys(),
        simulator.budget().keys(),
        moreKeys);
  }

  /**
   * Returns the note about the share of the traffic that was replayed; empty if it was all.
   *
   * @param replayed the number of replayed requests
   * @param seen the number of all requests in their time
   */
  public static Optional<String> sampled(long replayed, long seen) {
    if (replayed >= seen) return Optional.empty();
    return Optional.of(
        String.format(
            Locale.ROOT,
            "%,d of %,d requests were replayed (%.1f %%), all those of some of the callers; the"
                + " figures are scaled to all requests, except those of single callers. Limits that"
                + " callers share saw only the replayed requests, so they deny too little",
            replayed,
            seen,
            100.0 * replayed / seen));
  }

  /**
   * Returns the note about attributes that are missing from a log.
   *
   * @param attributes used by the rules and present in no line
   * @param remedy how to supply them
   */
  public static String missing(List<String> attributes, String remedy) {
    return "no line has %s, which the rules use; %s"
        .formatted(String.join(", ", attributes), remedy);
  }

  private SimulationNotes() {}
}
