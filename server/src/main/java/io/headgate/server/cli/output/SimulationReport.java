package io.headgate.server.cli.output;

import io.headgate.server.simulation.Comparison;
import io.headgate.server.simulation.SimulatedDecision;
import io.headgate.server.simulation.SimulationNotes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The result of a completed replay.
 *
 * @param comparison the decisions under both rule sets
 * @param against the file of the rules to compare with; empty if there is one rule set only
 * @param rules the file of the simulated rules
 * @param logs the log files
 * @param unreadable the number of lines that could not be parsed
 * @param samples the errors of the first of those lines
 * @param missing attributes that rules use and no line has
 * @param late the number of lines that were too far out of order to be sorted
 * @param crowded the number of lines that were not sorted because the reorder buffer was full
 */
public record SimulationReport(
    Comparison comparison,
    Optional<String> against,
    String rules,
    List<String> logs,
    long unreadable,
    List<String> samples,
    List<String> missing,
    long late,
    long crowded) {

  /** The time span of the reorder buffer, in microseconds. */
  public static final long REORDER_SPAN_MICROS = 10_000_000;

  /** The capacity of the reorder buffer in lines: 26,000 a second, some 300 bytes each. */
  public static final int MAX_BUFFERED = 1 << 18;

  public SimulationReport {
    logs = List.copyOf(logs);
  }

  boolean compares() {
    return against.isPresent();
  }

  /** Returns whether a request was denied under either rule set. */
  boolean deniesAnything() {
    return comparison.before().total(SimulatedDecision.DENIED)
            + comparison.after().total(SimulatedDecision.DENIED)
        > 0;
  }

  /** Returns notes on the accuracy of the report. */
  List<String> notes() {
    var notes = new ArrayList<String>();
    if (!missing.isEmpty()) {
      notes.add(SimulationNotes.missing(missing, "map it with --attr"));
    }
    if (late > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%,d lines are more than 10 seconds out of order; they are replayed at the latest time"
                  + " before them",
              late));
    }
    if (crowded > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%,d lines are out of order among more than %,d within 10 seconds, too many to sort;"
                  + " they are replayed at the latest time before them; sort the log by time first",
              crowded,
              MAX_BUFFERED));
    }
    notes.addAll(SimulationNotes.of(comparison, "a log", "--max-keys keeps more"));
    return notes;
  }
}
