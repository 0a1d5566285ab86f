package io.headgate.server.cli.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.headgate.server.simulation.CallerComparison;
import io.headgate.server.simulation.Comparison;
import io.headgate.server.simulation.RuleSimulator;
import io.headgate.server.simulation.SimulatedDecision;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;

/** Renders a simulation report as JSON, with the field names of the simulation API. */
public final class SimulationJson {
  private final JsonGenerator out;
  private final SimulationReport simulation;
  private final Comparison comparison;

  private SimulationJson(JsonGenerator out, SimulationReport simulation) {
    this.out = out;
    this.simulation = simulation;
    this.comparison = simulation.comparison();
  }

  /**
   * Returns the report.
   *
   * @param top the maximum number of callers
   */
  public static String of(SimulationReport simulation, int top) {
    var text = new StringWriter();
    try (var out = new JsonFactory().createGenerator(text)) {
      new SimulationJson(out, simulation).write(top);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private void write(int top) throws IOException {
    out.writeStartObject();
    writeSource();
    if (simulation.compares()) writeTotals("before", comparison.before());
    else out.writeNullField("before");
    writeTotals("after", comparison.after());
    if (simulation.compares()) {
      out.writeNumberField("changedToDenied", comparison.changedToDenied());
      out.writeNumberField("changedToAllowed", comparison.changedToAllowed());
    }
    out.writeObjectFieldStart("busiestSecond");
    out.writeNumberField("at", comparison.busiestSecond() * 1_000);
    out.writeNumberField("requests", comparison.peakPerSecond());
    out.writeEndObject();
    writeSeries();
    writeRules("byRule", comparison.after());
    if (simulation.compares()) writeRules("byRuleBefore", comparison.before());
    writeCallers(simulation.compares() ? comparison.mostChanged(top) : comparison.mostDenied(top));
    out.writeEndObject();
  }

  private void writeSource() throws IOException {
    out.writeObjectFieldStart("source");
    writeTexts("logs", simulation.logs());
    out.writeNumberField("from", comparison.from() / 1_000);
    out.writeNumberField("to", comparison.to() / 1_000);
    out.writeNumberField("requests", comparison.requests());
    out.writeNumberField("callers", comparison.callers());
    out.writeNumberField("unreadable", simulation.unreadable());
    writeTexts("samples", simulation.samples());
    writeTexts("notes", simulation.notes());
    out.writeEndObject();
  }

  private void writeTexts(String name, List<String> texts) throws IOException {
    out.writeArrayFieldStart(name);
    for (var text : texts) out.writeString(text);
    out.writeEndArray();
  }

  private void writeTotals(String name, RuleSimulator simulator) throws IOException {
    out.writeObjectFieldStart(name);
    out.writeNumberField("allowed", simulator.total(SimulatedDecision.ADMITTED));
    out.writeNumberField("denied", simulator.total(SimulatedDecision.DENIED));
    out.writeNumberField("delayed", simulator.total(SimulatedDecision.DELAYED));
    out.writeEndObject();
  }

  private void writeSeries() throws IOException {
    var timeline = comparison.timeline();
    out.writeObjectFieldStart("series");
    out.writeNumberField("from", timeline.fromMillis());
    out.writeNumberField("stepMs", timeline.stepMillis());
    writeCounts("offered", timeline.counts(Comparison.OFFERED));
    if (simulation.compares()) {
      writeCounts("deniedBefore", timeline.counts(Comparison.DENIED_BEFORE));
    }
    writeCounts("deniedAfter", timeline.counts(Comparison.DENIED_AFTER));
    out.writeEndObject();
  }

  private void writeCounts(String name, long[] counts) throws IOException {
    out.writeFieldName(name);
    out.writeArray(counts, 0, counts.length);
  }

  private void writeRules(String name, RuleSimulator simulator) throws IOException {
    out.writeArrayFieldStart(name);
    for (var totals : simulator.byRule()) {
      out.writeStartObject();
      out.writeStringField("rule", totals.rule().id());
      out.writeNumberField("requests", totals.requests());
      out.writeNumberField("allowed", totals.requests() - totals.denied() - totals.delayed());
      out.writeNumberField("denied", totals.denied());
      out.writeNumberField("delayed", totals.delayed());
      out.writeEndObject();
    }
    out.writeEndArray();
  }

  private void writeCallers(List<CallerComparison> callers) throws IOException {
    out.writeArrayFieldStart("callers");
    for (var caller : callers) {
      out.writeStartObject();
      out.writeStringField("caller", caller.caller());
      out.writeNumberField("requests", caller.requests());
      if (simulation.compares()) out.writeNumberField("deniedBefore", caller.deniedBefore());
      out.writeNumberField("deniedAfter", caller.deniedAfter());
      if (caller.firstDenied().isPresent()) {
        out.writeNumberField("firstDeniedAt", caller.firstDenied().getAsLong() / 1_000);
      } else {
        out.writeNullField("firstDeniedAt");
      }
      out.writeEndObject();
    }
    out.writeEndArray();
  }
}
