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

/** Prints a simulation report as text. */
public final class SimulationText {
  private final CommandContext context;
  private final int top;

  /**
   * Creates a printer.
   *
   * @param top the maximum number of callers
   */
  public SimulationText(CommandContext context, int top) {
    this.context = context;
    this.top = top;
  }

  /** Prints the report. */
  public void print(SimulationReport simulation) {
    var comparison = simulation.comparison();
    context
        .out()
        .printf(
            Locale.ROOT,
            "%,d requests of %,d callers in %s, from %s to %s%n",
            comparison.requests(),
            comparison.callers(),
            DurationText.text((comparison.to() - comparison.from()) / 1_000),
            Timestamps.text(comparison.from()),
            Timestamps.text(comparison.to()));
    context
        .out()
        .printf(
            Locale.ROOT,
            "Busiest second: %s, with %,d%n",
            Timestamps.text(comparison.busiestSecond() * 1_000_000),
            comparison.peakPerSecond());
    printUnreadable(simulation);
    for (var note : simulation.notes()) context.out().println(context.warning("Note: ") + note);
    context.out().println();
    printRules(simulation);
    context.out().println();
    printCallers(simulation);
  }

  private void printUnreadable(SimulationReport simulation) {
    long count = simulation.unreadable();
    if (count == 0) return;
    String what =
        count == 1
            ? "1 line can't be read:"
            : String.format(Locale.ROOT, "%,d lines can't be read, such as:", count);
    context.out().println(context.bad(what));
    for (var sample : simulation.samples()) context.out().println("  " + Printable.of(sample));
  }

  private void printRules(SimulationReport simulation) {
    var comparison = simulation.comparison();
    var before = totalsByRule(comparison);
    var table =
        simulation.compares()
            ? new TextTable("RULE", "REQUESTS", "ALLOWED", "DENIED", "DELAYED", "DENIED BEFORE")
            : new TextTable("RULE", "REQUESTS", "ALLOWED", "DENIED", "DELAYED");
    for (var totals : comparison.after().byRule()) {
      add(table, simulation, name(totals), Optional.of(totals), before.remove(totals.rule().id()));
    }
    if (simulation.compares()) {
      before.forEach(
          (id, totals) -> add(table, simulation, id + " (removed)", Optional.empty(), totals));
    }
    addTotal(table, simulation);
    table.print(context);
    if (!simulation.compares()) return;
    context
        .out()
        .printf(
            Locale.ROOT,
            "%,d requests would be denied that are not under %s, and %,d no longer%n",
            comparison.changedToDenied(),
            simulation.against().orElse(""),
            comparison.changedToAllowed());
  }

  private static Map<String, RuleTotals> totalsByRule(Comparison comparison) {
    var before = new LinkedHashMap<String, RuleTotals>();
    for (var totals : comparison.before().byRule()) before.put(totals.rule().id(), totals);
    return before;
  }

  private static String name(RuleTotals totals) {
    return totals.rule().mode() == Mode.SHADOW
        ? totals.rule().id() + " (shadow)"
        : totals.rule().id();
  }

  private static void add(
      TextTable table,
      SimulationReport simulation,
      String name,
      Optional<RuleTotals> totals,
      @Nullable RuleTotals before) {
    long requests = totals.map(RuleTotals::requests).orElse(0L);
    long denied = totals.map(RuleTotals::denied).orElse(0L);
    long delayed = totals.map(RuleTotals::delayed).orElse(0L);
    row(
        table,
        simulation,
        name,
        requests,
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
      long requests,
      long denied,
      long delayed,
      String before) {
    String allowed = count(requests - denied - delayed);
    if (simulation.compares()) {
      table.add(name, count(requests), allowed, count(denied), count(delayed), before);
    } else {
      table.add(name, count(requests), allowed, count(denied), count(delayed));
    }
  }

  private void printCallers(SimulationReport simulation) {
    var comparison = simulation.comparison();
    var callers = simulation.compares() ? comparison.mostChanged(top) : comparison.mostDenied(top);
    if (!simulation.deniesAnything()) {
      context.out().println(context.good("No request would be denied."));
      return;
    }
    var table =
        simulation.compares()
            ? new TextTable("CALLER", "REQUESTS", "DENIED", "FIRST DENIED", "DENIED BEFORE")
            : new TextTable("CALLER", "REQUESTS", "DENIED", "FIRST DENIED");
    for (var caller : callers) add(table, simulation, caller);
    if (!callers.isEmpty()) table.print(context);
    context
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
