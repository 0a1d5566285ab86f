package io.headgate.server.cli.output;

import io.headgate.rule.Mode;
import io.headgate.server.simulation.CallerComparison;
import io.headgate.server.simulation.Comparison;
import io.headgate.server.simulation.RuleTotals;
import io.headgate.server.simulation.SimulatedDecision;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a replay has shown, for people. */
public final class SimulationText {
  private final CommandContext around;
  private final int top;

  public SimulationText(CommandContext around, int top) {
    this.around = around;
    this.top = top;
  }

  public void print(SimulationReport simulation) {
    var comparison = simulation.comparison();
    around
        .out()
        .printf(
            Locale.ROOT,
            "%,d requests of %,d callers in %s, from %s to %s%n",
            comparison.requests(),
            comparison.callers(),
            DurationText.text((comparison.to() - comparison.from()) / 1_000),
            Timestamps.text(comparison.from()),
            Timestamps.text(comparison.to()));
    around
        .out()
        .printf(
            Locale.ROOT,
            "Busiest second: %s, with %,d%n",
            Timestamps.text(comparison.busiestSecond() * 1_000_000),
            comparison.mostInSecond());
    printUnreadable(simulation);
    for (var note : simulation.notes()) around.out().println(around.remarkable("Note: ") + note);
    around.out().println();
    printRules(simulation);
    around.out().println();
    printCallers(simulation);
  }

  private void printUnreadable(SimulationReport simulation) {
    long count = simulation.unreadable();
    if (count == 0) return;
    String what =
        count == 1
            ? "1 line can't be read:"
            : String.format(Locale.ROOT, "%,d lines can't be read, such as:", count);
    around.out().println(around.bad(what));
    for (var sample : simulation.samples()) around.out().println("  " + Printable.of(sample));
  }

  private void printRules(SimulationReport simulation) {
    var comparison = simulation.comparison();
    var before = tallies(comparison);
    var table =
        simulation.compares()
            ? new TextTable("RULE", "REQUESTS", "ALLOWED", "DENIED", "DELAYED", "DENIED BEFORE")
            : new TextTable("RULE", "REQUESTS", "ALLOWED", "DENIED", "DELAYED");
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

  private static Map<String, RuleTotals> tallies(Comparison comparison) {
    var before = new LinkedHashMap<String, RuleTotals>();
    for (var tally : comparison.before().byRule()) before.put(tally.rule().id(), tally);
    return before;
  }

  private static String name(RuleTotals tally) {
    return tally.rule().mode() == Mode.SHADOW ? tally.rule().id() + " (shadow)" : tally.rule().id();
  }

  private static void add(
      TextTable table,
      SimulationReport simulation,
      String name,
      Optional<RuleTotals> tally,
      @Nullable RuleTotals before) {
    long asked = tally.map(RuleTotals::asked).orElse(0L);
    long denied = tally.map(RuleTotals::denied).orElse(0L);
    long delayed = tally.map(RuleTotals::delayed).orElse(0L);
    row(
        table,
        simulation,
        name,
        asked,
        denied,
        delayed,
        before == null ? "(new)" : count(before.denied()));
  }

  private static void addTotal(TextTable table, SimulationReport simulation) {
    var comparison = simulation.comparison();
    row(
        table,
        simulation,
        "all together",
        comparison.requests(),
        comparison.after().total(SimulatedDecision.DENIED),
        comparison.after().total(SimulatedDecision.DELAYED),
        count(comparison.before().total(SimulatedDecision.DENIED)));
  }

  private static void row(
      TextTable table,
      SimulationReport simulation,
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

  private void printCallers(SimulationReport simulation) {
    var comparison = simulation.comparison();
    var callers = simulation.compares() ? comparison.mostChanged(top) : comparison.mostDenied(top);
    if (!simulation.deniesAnything()) {
      around.out().println(around.good("Nobody would be denied."));
      return;
    }
    var table =
        simulation.compares()
            ? new TextTable("CALLER", "REQUESTS", "DENIED", "FIRST DENIED", "DENIED BEFORE")
            : new TextTable("CALLER", "REQUESTS", "DENIED", "FIRST DENIED");
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

  private static void add(TextTable table, SimulationReport simulation, CallerComparison caller) {
    String first =
        caller.firstDenied().isPresent()
            ? Timestamps.text(caller.firstDenied().getAsLong())
            : "never";
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
