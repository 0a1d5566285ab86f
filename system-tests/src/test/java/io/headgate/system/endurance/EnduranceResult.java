package io.headgate.system.endurance;

import io.headgate.system.endurance.EnduranceRun.Settings;
import io.headgate.system.endurance.Instance.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a run has measured.
 *
 * @param admitted by the strict limit
 * @param bound of these
 * @param held what each instance held at its start and at the end
 * @param connections protocols whose connection was opened again
 */
record EnduranceResult(
    Settings settings,
    List<Tally> tallies,
    long admitted,
    long bound,
    List<Held> held,
    List<String> connections) {
  /** What one instance held. */
  record Held(String instance, Resources start, Resources end) {}

  /** Of the undisturbed calls of a protocol. */
  private static final double MAX_LATE = 0.01;

  private static final double MAX_FALLBACKS = 0.01;

  /** How many more objects of one class there may be; fewer than the calls of most protocols. */
  private static final long OBJECTS = 1_000;

  private static final int GROWN = 12;

  /** Returns a line for each assertion that does not hold. */
  List<String> failures() {
    var failures = new ArrayList<String>(connections);
    for (var tally : tallies) {
      long undisturbed = tally.calls.get() - tally.disturbed.get();
      if (undisturbed == 0) failures.add("no call of " + tally.protocol);
      if (tally.refused.get() > 0) {
        failures.add(
            "%d of %d calls of %s were refused: %s"
                .formatted(tally.refused.get(), undisturbed, tally.protocol, tally.examples));
      }
      if (tally.late.get() > MAX_LATE * undisturbed + 1) {
        failures.add(
            "%d of %d calls of %s were late"
                .formatted(tally.late.get(), undisturbed, tally.protocol));
      }
      if (tally.fallbacks.get() > MAX_FALLBACKS * undisturbed + 1) {
        failures.add(
            "%d of %d calls of %s were decided by failure policies while the store was available"
                .formatted(tally.fallbacks.get(), undisturbed, tally.protocol));
      }
    }
    if (admitted > bound || admitted < bound / 2) {
      failures.add("%d admitted, of at most %d and at least half".formatted(admitted, bound));
    }
    double reservations = reservations();
    for (var one : held) {
      var excess =
          one.end.excessOver(
              one.start,
              OBJECTS + (long) (settings.store().objectsOfReservation() * reservations),
              (long) (settings.store().bytesOfReservation() * reservations));
      if (excess.isEmpty()) continue;
      failures.add(
          "%-60s %14s %14s %14s"
              .formatted(one.instance + " instance: not back", "start", "end", "allowed"));
      excess.forEach(value -> failures.add("  " + value));
      one.end.grown(one.start, GROWN).forEach(line -> failures.add("  most grown: " + line));
    }
    return failures;
  }

  private double reservations() {
    double reservations = 0;
    for (var tally : tallies) {
      if (tally.protocol.equals(Protocol.RESERVATIONS.title)) reservations += tally.calls.get();
      if (tally.protocol.equals(Protocol.CLIENT.title)) {
        reservations += (double) tally.calls.get() / ClientCalls.RESERVATION_IN;
      }
    }
    return reservations;
  }

  /** Returns the rows of the table. */
  List<String> rows() {
    var rows = new ArrayList<String>();
    for (var tally : tallies) {
      rows.add(
          String.format(
              Locale.ROOT,
              "| %-13s | %-7s | %-13s | %,9d | %7d | %4d | %8d | %8.1f ms |",
              settings.store(),
              settings.heap(),
              tally.protocol,
              tally.calls.get(),
              tally.refused.get(),
              tally.late.get(),
              tally.fallbacks.get(),
              tally.p999Millis()));
    }
    rows.add(
        String.format(
            Locale.ROOT,
            "  %s, heap %s: strict limit admitted %,d of at most %,d",
            settings.store(),
            settings.heap(),
            admitted,
            bound));
    for (var one : held) {
      rows.add(
          String.format(
              Locale.ROOT,
              "    %-8s instance, start → end: heap %,d → %,d, threads %d → %d, files %d → %d, budgets %s → %s",
              one.instance,
              one.start.heap(),
              one.end.heap(),
              one.start.threads(),
              one.end.threads(),
              one.start.files(),
              one.end.files(),
              one.start.budgets(),
              one.end.budgets()));
    }
    return rows;
  }

  static final String HEAD =
      String.format(
          "| %-13s | %-7s | %-13s | %9s | %7s | %4s | %8s | %11s |%n%s",
          "store",
          "heap",
          "protocol",
          "calls",
          "refused",
          "late",
          "fallback",
          "p99.9",
          "|---|---|---|--:|--:|--:|--:|--:|");
}
