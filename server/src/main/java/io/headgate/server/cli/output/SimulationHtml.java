package io.headgate.server.cli.output;

import io.headgate.rule.Mode;
import io.headgate.server.simulation.Comparison;
import io.headgate.server.simulation.SimulatedDecision;
import java.util.HashMap;
import java.util.Locale;

/** Renders a simulation report as a self-contained HTML page, without scripts or external files. */
public final class SimulationHtml {
  private static final int MAX_CALLERS = 50;
  private static final String STYLE =
      """
      :root{color-scheme:light dark;--back:#fff;--text:#1c2024;--faint:#687076;--line:#d7dbdf;--offered:#9ec5e8;--denied:#d6409f;--before:#b45309}
      @media(prefers-color-scheme:dark){:root{--back:#15181b;--text:#eceef0;--faint:#9ba1a6;--line:#3a3f42;--offered:#2b5f8a;--denied:#f065b8;--before:#f5a524}}
      body{font:15px/1.5 system-ui,sans-serif;background:var(--back);color:var(--text);max-width:62rem;margin:2rem auto;padding:0 1rem}
      h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}p.faint,caption,th{color:var(--faint)}
      table{border-collapse:collapse;width:100%}th,td{text-align:right;padding:.25rem .6rem;border-bottom:1px solid var(--line)}
      th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}td svg{display:block;width:8rem;height:.8rem;margin-left:auto}
      svg.time{width:100%;height:auto}.offered{fill:var(--offered)}.denied{fill:var(--denied)}.before{fill:none;stroke:var(--before);stroke-width:1.5}
      .axis{stroke:var(--line)}svg text{fill:var(--faint);font:12px system-ui,sans-serif}
      .figures{display:flex;flex-wrap:wrap;gap:2rem;margin:1rem 0}.figures b{display:block;font-size:1.5rem}
      .key i{display:inline-block;width:.8rem;height:.8rem;margin:0 .3rem 0 1rem}
      """;

  private final StringBuilder out = new StringBuilder();
  private final SimulationReport simulation;
  private final Comparison comparison;

  private SimulationHtml(SimulationReport simulation) {
    this.simulation = simulation;
    this.comparison = simulation.comparison();
  }

  /** Returns the page. */
  public static String of(SimulationReport simulation) {
    return new SimulationHtml(simulation).page();
  }

  private String page() {
    out.append("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n");
    out.append("<meta name=\"viewport\" content=\"width=device-width\">\n");
    out.append("<title>Headgate simulation</title>\n<style>\n").append(STYLE).append("</style>\n");
    out.append("<h1>Simulation of ").append(escaped(simulation.rules())).append("</h1>\n");
    writeAbout();
    writeTotals();
    writeTimeline();
    writeRules();
    writeCallers();
    return out.append("</html>\n").toString();
  }

  private void writeAbout() {
    out.append(
        "<p class=\"faint\">Replayed from %s%s, %s to %s.</p>\n"
            .formatted(
                escaped(String.join(", ", simulation.logs())),
                simulation.against().map(file -> ", against " + escaped(file)).orElse(""),
                Timestamps.text(comparison.from()),
                Timestamps.text(comparison.to())));
    if (simulation.unreadable() > 0) {
      out.append(
          String.format(
              Locale.ROOT,
              "<p>%,d lines can't be read, such as:</p><ul>",
              simulation.unreadable()));
      for (var sample : simulation.samples()) out.append("<li>").append(escaped(sample));
      out.append("</ul>\n");
    }
    for (var note : simulation.notes())
      out.append("<p>Note: ").append(escaped(note)).append("</p>\n");
  }

  private void writeTotals() {
    out.append("<div class=\"figures\">");
    total("requests", comparison.requests());
    total("callers", comparison.callers());
    total("denied", comparison.after().total(SimulatedDecision.DENIED));
    total("delayed", comparison.after().total(SimulatedDecision.DELAYED));
    if (simulation.compares())
      total("denied before", comparison.before().total(SimulatedDecision.DENIED));
    total("in the busiest second", comparison.peakPerSecond());
    out.append("</div>\n");
  }

  private void total(String name, long value) {
    out.append(String.format(Locale.ROOT, "<div><b>%,d</b>%s</div>", value, name));
  }

  private void writeTimeline() {
    var timeline = comparison.timeline();
    out.append("<h2>Requests over time</h2>\n");
    out.append("<p class=\"key faint\"><i style=\"background:var(--offered)\"></i>requests");
    out.append("<i style=\"background:var(--denied)\"></i>denied");
    if (simulation.compares()) {
      out.append("<i style=\"background:var(--before)\"></i>denied before");
    }
    out.append("; each bar is %s</p>\n".formatted(DurationText.text(timeline.stepMillis())));
    out.append(TimelineSvg.of(timeline, simulation.compares()));
  }

  private void writeRules() {
    var before = new HashMap<String, Long>();
    for (var totals : comparison.before().byRule()) before.put(totals.rule().id(), totals.denied());
    out.append("<h2>Rules</h2>\n<table><tr><th>rule<th>requests<th>allowed<th>denied<th>delayed");
    if (simulation.compares()) out.append("<th>denied before");
    out.append("<th>share denied\n");
    for (var totals : comparison.after().byRule()) {
      String shadow = totals.rule().mode() == Mode.SHADOW ? " (shadow)" : "";
      out.append("<tr><td>").append(escaped(totals.rule().id())).append(shadow);
      cell(totals.requests());
      cell(totals.requests() - totals.denied() - totals.delayed());
      cell(totals.denied());
      cell(totals.delayed());
      if (simulation.compares()) cell(before.getOrDefault(totals.rule().id(), 0L));
      bar(totals.denied(), totals.requests());
    }
    out.append("</table>\n");
  }

  private void writeCallers() {
    var callers =
        simulation.compares()
            ? comparison.mostChanged(MAX_CALLERS)
            : comparison.mostDenied(MAX_CALLERS);
    out.append("<h2>Callers</h2>\n");
    if (!simulation.deniesAnything()) {
      out.append("<p>No request would be denied.</p>\n");
      return;
    }
    out.append("<table><tr><th>caller<th>requests<th>denied");
    if (simulation.compares()) out.append("<th>denied before");
    out.append("<th>first denied<th>share denied\n");
    for (var caller : callers) {
      out.append("<tr><td>").append(escaped(caller.caller()));
      cell(caller.requests());
      cell(caller.deniedAfter());
      if (simulation.compares()) cell(caller.deniedBefore());
      var first = caller.firstDenied();
      out.append("<td>").append(first.isPresent() ? Timestamps.text(first.getAsLong()) : "never");
      bar(caller.deniedAfter(), caller.requests());
    }
    out.append(
        String.format(
            Locale.ROOT,
            "</table>\n<p class=\"faint\">%,d of %,d callers would be denied something.</p>\n",
            comparison.callersDenied(),
            comparison.callers()));
  }

  private void cell(long value) {
    out.append(String.format(Locale.ROOT, "<td>%,d", value));
  }

  private void bar(long part, long whole) {
    double share = whole == 0 ? 0 : 100.0 * part / whole;
    String shown = TimelineSvg.number(share);
    out.append(
        "<td><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"%s%%\"><title>%s%%</title><rect class=\"offered\" width=\"100\" height=\"10\"/><rect class=\"denied\" width=\"%s\" height=\"10\"/></svg>\n"
            .formatted(shown, shown, shown));
  }

  private static String escaped(String text) {
    return Printable.of(text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
