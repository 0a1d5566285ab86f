package io.headgate.server.http.simulation;

import io.headgate.server.api.JsonWriter;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.simulation.CallerComparison;
import io.headgate.server.simulation.Comparison;
import io.headgate.server.simulation.RuleSimulator;
import io.headgate.server.simulation.SimulatedDecision;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;

/** Writes the result of a what-if comparison as JSON. */
final class WhatIfJson {
  private static final int MAX_CALLERS = 100;

  /**
   * The origin of the requests.
   *
   * @param weight the number of real callers that each caller stands for
   * @param unreadable the number of lines that could not be parsed
   * @param samples some of the lines that could not be parsed
   * @param notes caveats for readers of the result
   */
  record Source(
      String kind, double weight, long unreadable, List<String> samples, List<String> notes) {}

  static JsonWriter of(Comparison comparison, Source source, CallerMask mask) {
    var out = new JsonWriter().begin();
    write(out.name("source"), comparison, source);
    write(out.name("before"), comparison.before());
    write(out.name("after"), comparison.after());
    out.name("changedToDenied").value(comparison.changedToDenied());
    out.name("changedToAllowed").value(comparison.changedToAllowed());
    writeSeries(out.name("series"), comparison);
    writeRules(out.name("byRule"), comparison);
    out.name("callers").beginList();
    for (var caller : comparison.mostChanged(MAX_CALLERS)) write(out, caller, mask);
    return out.endList().end();
  }

  private static void write(JsonWriter out, Comparison comparison, Source source) {
    out.begin();
    out.name("kind").value(source.kind());
    moment(out.name("from"), comparison, comparison.from());
    moment(out.name("to"), comparison, comparison.to());
    out.name("requests").value(comparison.requests());
    var weight = BigDecimal.valueOf(source.weight()).setScale(3, RoundingMode.HALF_UP);
    out.name("weight").json(weight.stripTrailingZeros().toPlainString());
    out.name("unreadable").value(source.unreadable());
    out.name("samples").value(source.samples());
    out.name("notes").value(source.notes());
    out.end();
  }

  private static void moment(JsonWriter out, Comparison comparison, long micros) {
    if (comparison.requests() == 0) out.nullValue();
    else out.value(micros / 1_000);
  }

  private static void write(JsonWriter out, RuleSimulator simulator) {
    out.begin();
    out.name("allowed").value(simulator.total(SimulatedDecision.ADMITTED));
    out.name("denied").value(simulator.total(SimulatedDecision.DENIED));
    out.name("delayed").value(simulator.total(SimulatedDecision.DELAYED));
    out.end();
  }

  private static void writeSeries(JsonWriter out, Comparison comparison) {
    var timeline = comparison.timeline();
    out.begin();
    out.name("from").value(timeline.fromMillis());
    out.name("stepMs").value(timeline.stepMillis());
    out.name("offered").value(timeline.counts(Comparison.OFFERED));
    out.name("deniedBefore").value(timeline.counts(Comparison.DENIED_BEFORE));
    out.name("deniedAfter").value(timeline.counts(Comparison.DENIED_AFTER));
    out.end();
  }

  /** Writes each rule of either set; a rule that is missing from a set denied nothing there. */
  private static void writeRules(JsonWriter out, Comparison comparison) {
    var denied = new LinkedHashMap<String, long[]>();
    for (var counts : comparison.after().byRule()) {
      denied.computeIfAbsent(counts.rule().id(), id -> new long[2])[1] = counts.denied();
    }
    for (var counts : comparison.before().byRule()) {
      denied.computeIfAbsent(counts.rule().id(), id -> new long[2])[0] = counts.denied();
    }
    out.beginList();
    denied.forEach((rule, counts) -> {
      out.begin().name("rule").value(rule);
      out.name("deniedBefore").value(counts[0]).name("deniedAfter").value(counts[1]).end();
    });
    out.endList();
  }

  private static void write(JsonWriter out, CallerComparison caller, CallerMask mask) {
    out.begin();
    out.name("caller").value(mask.name(caller.caller()));
    out.name("requests").value(caller.requests());
    out.name("deniedBefore").value(caller.deniedBefore());
    out.name("deniedAfter").value(caller.deniedAfter());
    out.name("firstDeniedAt");
    if (caller.firstDenied().isPresent()) out.value(caller.firstDenied().getAsLong() / 1_000);
    else out.nullValue();
    out.end();
  }

  private WhatIfJson() {}
}
