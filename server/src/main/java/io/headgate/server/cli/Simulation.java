package io.headgate.server.cli;

import io.headgate.server.trial.Comparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A replay that has ended, to be shown.
 *
 * @param against the file of the rules that are compared with; without, there is but one set
 * @param unreadable how many lines could not be read, and {@code samples} the first of them
 * @param missing attributes that rules look at and that no line had
 * @param late how many lines came too late to be put in order
 */
record Simulation(
    Comparison comparison,
    Optional<String> against,
    String rules,
    List<String> logs,
    long unreadable,
    List<String> samples,
    List<String> missing,
    long late) {

  Simulation {
    logs = List.copyOf(logs);
  }

  boolean compares() {
    return against.isPresent();
  }

  /** What whoever looks at the figures must know of them. */
  List<String> notes() {
    var notes = new ArrayList<String>();
    if (!missing.isEmpty()) {
      notes.add(
          "no line has %s, which rules look at; --attr says what to take for it"
              .formatted(String.join(", ", missing)));
    }
    if (late > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%,d lines are more than 10 seconds out of order; they count as of the latest time before them",
              late));
    }
    boolean slots =
        comparison.after().rules().hasConcurrency() || comparison.before().rules().hasConcurrency();
    if (slots) {
      notes.add(
          "a log does not say when requests end, so slots of concurrency limits are held for their lease");
    }
    if (comparison.unlisted() > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%,d requests are of callers beyond the first 500,000, who are not listed",
              comparison.unlisted()));
    }
    return notes;
  }
}
