package io.headgate.server.cli;

import io.headgate.rule.Mode;
import io.headgate.server.trial.CallerTally;
import io.headgate.server.trial.Comparison;
import io.headgate.server.trial.Fate;
import io.headgate.server.trial.RuleTally;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a replay has shown, for people. */
final class SimulationText {
  private final Surroundings around;
  private final int top;

  SimulationText(Surroundings around, int top) {
    this.around = around;
    this.top = top;
  }

  void print(Simulation simulation) {
    var comparison = simulation.comparison();
    around
        .out()
        .printf(
            Locale.ROOT,
            "%,d requests of %,d callers in %s, from %s to %s%n",
            comparison.requests(),
            comparison.callers(),
            Durations.text((comparison.to() - comparison.from()) / 1_000),
            Moments.text(comparison.from()),
            Moments.text(comparison.to()));
    around
        .out()
        .printf(
            Locale.ROOT,
            "Busiest second: %s, with %,d%n",
            Moments.text(comparison.busiestSecond() * 1_000_000),
            comparison.mostInSecond());
    printUnreadable(simulation);
    for (var note : simulation.notes()) around.out().println(around.remarkable("Note: ") + note);
    around.out().println();
    printRules(simulation);
    around.out().println();
    printCallers(simulation);
  }

  private void printUnreadable(Simulation simulation) {
    long count = simulation.unreadable();
    if (count == 0) return;
    String what =
        count == 1
            ? "1 line can't be read:"
            : String.format(Locale.ROOT, "%,d lines can't be read, such as:", count);
    around.out().println(around.bad(what));
    for (var sample : simulation.samples()) around.out().println("  " + Printable.of(sample));
  }

  private void printRules(Simulation simulation) {
    var comparison = simulation.comparison();
    var before = tallies(comparison);
    var table =
        simulation.compares()
            ? new Table("RULE", "REQUESTS", "ALLOWED", "DENIED", "DELAYED", "DENIED BEFORE")
            : new Table("RULE", "REQUESTS", "ALLOWED", "DENIED", "DELAYED");
    for (var tally : comparison.after().byRule()) {
      add(table, simulation, name(tally), Optional.of(tally), before.remove(tally.rule().id()));
    }
    if (simulation.compares()) {
      before.forEach(
          (id, tally) -> add(table, simulation, id + " (gone)", Optional.empty(), tally));
    }
    addTotal(table, simulation);
    table.print(around);
    if (!simulation.compares()) return;
    around
        .out()
        .printf(
            Locale.ROOT,
            "%,d requests would be denied that are not under %s, and %,d no longer%n",
            comparison.changedToDenied(),
            simulation.against().orElse(""),
            comparison.changedToAllowed());
  }

  private static Map<String, RuleTally> tallies(Comparison comparison) {
    var before = new LinkedHashMap<String, RuleTally>();
    for (var tally : comparison.before().byRule()) before.put(tally.rule().id(), tally);
    return before;
  }

  private static String name(RuleTally tally) {
    return tally.rule().mode() == Mode.SHADOW ? tally.rule().id() + " (shadow)" : tally.rule().id();
  }

  private static void add(
      Table table,
      Simulation simulation,
      String name,
      Optional<RuleTally> tally,
      @Nullable RuleTally before) {
    long asked = tally.map(RuleTally::asked).orElse(0L);
    long denied = tally.map(RuleTally::denied).orElse(0L);
    long delayed = tally.map(RuleTally::delayed).orElse(0L);
    row(
        table,
        simulation,
        name,
        asked,
        denied,
        delayed,
        before == null ? "(new)" : count(before.denied()));
  }

  private static void addTotal(Table table, Simulation simulation) {
    var comparison = simulation.comparison();
    row(
        table,
        simulation,
        "all together",
        comparison.requests(),
        comparison.after().total(Fate.DENIED),
        comparison.after().total(Fate.DELAYED),
        count(comparison.before().total(Fate.DENIED)));
  }

  private static void row(
      Table table,
      Simulation simulation,
      String name,
      long asked,
      long denied,
      long delayed,
      String before) {
    String allowed = count(asked - denied - delayed);
    if (simulation.compares()) {
      table.add(name, count(asked), allowed, count(denied), count(delayed), before);
    } else {
      table.add(name, count(asked), allowed, count(denied), count(delayed));
    }
  }

  private void printCallers(Simulation simulation) {
    var comparison = simulation.comparison();
    var callers = simulation.compares() ? comparison.mostChanged(top) : comparison.mostDenied(top);
    if (!simulation.deniesAnything()) {
      around.out().println(around.good("Nobody would be denied."));
      return;
    }
    var table =
        simulation.compares()
            ? new Table("CALLER", "REQUESTS", "DENIED", "FIRST DENIED", "DENIED BEFORE")
            : new Table("CALLER", "REQUESTS", "DENIED", "FIRST DENIED");
    for (var caller : callers) add(table, simulation, caller);
    if (!callers.isEmpty()) table.print(around);
    around
        .out()
        .printf(
            Locale.ROOT,
            "%,d of %,d callers would be denied something%n",
            comparison.callersDenied(),
            comparison.callers());
  }

  private static void add(Table table, Simulation simulation, CallerTally caller) {
    String first =
        caller.firstDenied().isPresent() ? Moments.text(caller.firstDenied().getAsLong()) : "never";
    String denied = count(caller.deniedAfter());
    String requests = count(caller.requests());
    if (simulation.compares()) {
      table.add(caller.caller(), requests, denied, first, count(caller.deniedBefore()));
    } else {
      table.add(caller.caller(), requests, denied, first);
    }
  }

  private static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
