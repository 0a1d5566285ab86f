package io.headgate.server.cli.output;

import io.headgate.server.simulation.Comparison;
import io.headgate.server.simulation.SimulatedDecision;
import io.headgate.server.simulation.SimulationNotes;
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
 * @param late how many lines were too far out of order to be put in order
 * @param crowded how many others came where too many lines had to be put in order at once
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

  /** How far ahead a replay looks to put lines in order, in microseconds. */
  public static final long LOOK_AHEAD = 10_000_000;

  /** How many lines it holds meanwhile: 26,000 a second. A line takes some 300 bytes. */
  public static final int MOST_HELD = 1 << 18;

  public SimulationReport {
    logs = List.copyOf(logs);
  }

  boolean compares() {
    return against.isPresent();
  }

  /** Whether anybody was denied anything, under either set of rules. */
  boolean deniesAnything() {
    return comparison.before().total(SimulatedDecision.DENIED)
            + comparison.after().total(SimulatedDecision.DENIED)
        > 0;
  }

  /** What whoever looks at the figures must know of them. */
  List<String> notes() {
    var notes = new ArrayList<String>();
    if (!missing.isEmpty()) {
      notes.add(SimulationNotes.missing(missing, "--attr says what to take for it"));
    }
    if (late > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%,d lines are more than 10 seconds out of order; they count as of the latest time before them",
              late));
    }
    if (crowded > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%,d lines are out of order where more than %,d came within 10 seconds, too many to put"
                  + " in order; they count as of the latest time before them; sort the log by time first",
              crowded,
              MOST_HELD));
    }
    notes.addAll(SimulationNotes.of(comparison, "a log", "--max-keys keeps more"));
    return notes;
  }
}
