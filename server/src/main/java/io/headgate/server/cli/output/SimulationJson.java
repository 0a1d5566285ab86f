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

/** What a replay has shown, for programs; in the words of POST /v1/what-if. */
public final class SimulationJson {
  private final JsonGenerator out;
  private final SimulationReport simulation;
  private final Comparison comparison;

  private SimulationJson(JsonGenerator out, SimulationReport simulation) {
    this.out = out;
    this.simulation = simulation;
    this.comparison = simulation.comparison();
  }

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
    if (simulation.compares()) writeTold("before", comparison.before());
    else out.writeNullField("before");
    writeTold("after", comparison.after());
    if (simulation.compares()) {
      out.writeNumberField("changedToDenied", comparison.changedToDenied());
      out.writeNumberField("changedToAllowed", comparison.changedToAllowed());
    }
    out.writeObjectFieldStart("busiestSecond");
    out.writeNumberField("at", comparison.busiestSecond() * 1_000);
    out.writeNumberField("requests", comparison.mostInSecond());
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

  private void writeTold(String name, RuleSimulator bench) throws IOException {
    out.writeObjectFieldStart(name);
    out.writeNumberField("allowed", bench.total(SimulatedDecision.ADMITTED));
    out.writeNumberField("denied", bench.total(SimulatedDecision.DENIED));
    out.writeNumberField("delayed", bench.total(SimulatedDecision.DELAYED));
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

  private void writeRules(String name, RuleSimulator bench) throws IOException {
    out.writeArrayFieldStart(name);
    for (var tally : bench.byRule()) {
      out.writeStartObject();
      out.writeStringField("rule", tally.rule().id());
      out.writeNumberField("requests", tally.asked());
      out.writeNumberField("allowed", tally.asked() - tally.denied() - tally.delayed());
      out.writeNumberField("denied", tally.denied());
      out.writeNumberField("delayed", tally.delayed());
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
