package io.headgate.server.simulation;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Limit;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Creates notes about the limitations of a simulation result. */
public final class SimulationNotes {
  /** The number of rules that a note names. */
  private static final int MAX_NAMED = 10;

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
    notes.addAll(load(before.rules(), after.rules()));
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

  /** Returns the notes about rules that follow the load of backends, which is not simulated. */
  private static List<String> load(RuleSet before, RuleSet after) {
    var notes = new ArrayList<String>();
    var rules =
        Stream.of(before, after)
            .flatMap(set -> set.rules().stream())
            .filter(rule -> rule.mode() != Mode.OFF)
            .toList();
    named(rules, Rule::sheds)
        .ifPresent(ids ->
            notes.add(
                "the load of backends is not simulated, so rules that shed it drop nothing: "
                    + ids));
    named(rules, Rule::isTuned)
        .ifPresent(ids ->
            notes.add(
                "the load of backends is not simulated, so limits with adapt have their own rate: "
                    + ids));
    named(rules, rule -> rule.limits().stream().anyMatch(limit -> isAdaptive(limit.limit())))
        .ifPresent(ids ->
            notes.add(
                "no request reports an outcome, so adaptive limits stay at their initial number of"
                    + " slots: "
                    + ids));
    return notes;
  }

  private static Optional<String> named(List<Rule> rules, Predicate<Rule> which) {
    var ids = rules.stream().filter(which).map(Rule::id).distinct().toList();
    if (ids.isEmpty()) return Optional.empty();
    String more = ids.size() > MAX_NAMED ? " and %d more".formatted(ids.size() - MAX_NAMED) : "";
    return Optional.of(ids.stream().limit(MAX_NAMED).collect(Collectors.joining(", ")) + more);
  }

  private static boolean isAdaptive(Limit limit) {
    return limit instanceof AdaptiveConcurrency;
  }

  /** Returns the notes of a simulation of single limits. */
  public static List<String> of(List<Candidate> candidates) {
    var notes = new ArrayList<String>();
    for (var candidate : candidates) {
      if (candidate.isTuned()) {
        notes.add(
            "the load of backends is not simulated, so '%s' has its own rate and ignores adapt"
                .formatted(candidate.name()));
      }
      if (isAdaptive(candidate.limit())) {
        notes.add(
            "no request reports an outcome, so '%s' stays at its initial number of slots"
                .formatted(candidate.name()));
      }
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
