package io.headgate.server.http.simulation;

import io.headgate.server.api.JsonWriter;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.simulation.CallerComparison;
import io.headgate.server.simulation.Comparison;
import io.headgate.server.simulation.RuleSimulator;
import io.headgate.server.simulation.RuleTotals;
import io.headgate.server.simulation.SimulatedDecision;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes the result of a what-if comparison as JSON. */
final class WhatIfJson {
  private static final int MAX_CALLERS = 100;

  /**
   * The origin of the requests.
   *
   * @param weight the number of real requests that each replayed one stands for; all figures but
   *     those of single callers are multiplied by it
   * @param unreadable the number of lines that could not be parsed
   * @param samples some of the lines that could not be parsed
   * @param notes caveats for readers of the result
   */
  record Source(
      String kind, double weight, long unreadable, List<String> samples, List<String> notes) {
    private long scaled(long count) {
      return Math.round(count * weight);
    }

    private long[] scaled(long[] counts) {
      return Arrays.stream(counts).map(this::scaled).toArray();
    }
  }

  static JsonWriter of(Comparison comparison, Source source, CallerMask mask) {
    var out = new JsonWriter().begin();
    write(out.name("source"), comparison, source);
    write(out.name("before"), comparison.before(), source);
    write(out.name("after"), comparison.after(), source);
    out.name("changedToDenied").value(source.scaled(comparison.changedToDenied()));
    out.name("changedToAllowed").value(source.scaled(comparison.changedToAllowed()));
    writeSeries(out.name("series"), comparison, source);
    writeRules(out.name("byRule"), comparison, source);
    out.name("callers").beginList();
    for (var caller : comparison.mostChanged(MAX_CALLERS)) write(out, caller, mask);
    return out.endList().end();
  }

  private static void write(JsonWriter out, Comparison comparison, Source source) {
    out.begin();
    out.name("kind").value(source.kind());
    moment(out.name("from"), comparison, comparison.from());
    moment(out.name("to"), comparison, comparison.to());
    out.name("requests").value(source.scaled(comparison.requests()));
    out.name("replayed").value(comparison.requests());
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

  private static void write(JsonWriter out, RuleSimulator simulator, Source source) {
    out.begin();
    out.name("allowed").value(source.scaled(simulator.total(SimulatedDecision.ADMITTED)));
    out.name("denied").value(source.scaled(simulator.total(SimulatedDecision.DENIED)));
    out.name("delayed").value(source.scaled(simulator.total(SimulatedDecision.DELAYED)));
    out.end();
  }

  private static void writeSeries(JsonWriter out, Comparison comparison, Source source) {
    var timeline = comparison.timeline();
    out.begin();
    out.name("from").value(timeline.fromMillis());
    out.name("stepMs").value(timeline.stepMillis());
    out.name("offered").value(source.scaled(timeline.counts(Comparison.OFFERED)));
    out.name("deniedBefore").value(source.scaled(timeline.counts(Comparison.DENIED_BEFORE)));
    out.name("deniedAfter").value(source.scaled(timeline.counts(Comparison.DENIED_AFTER)));
    out.end();
  }

  /** Writes each rule of either set; a rule that is missing from a set decided nothing there. */
  private static void writeRules(JsonWriter out, Comparison comparison, Source source) {
    var before = totals(comparison.before());
    var after = totals(comparison.after());
    var rules = new LinkedHashSet<>(after.keySet());
    rules.addAll(before.keySet());
    out.beginList();
    for (var rule : rules) {
      var was = Optional.ofNullable(before.get(rule));
      var is = Optional.ofNullable(after.get(rule));
      out.begin().name("rule").value(rule);
      out.name("requestsBefore").value(source.scaled(was.map(RuleTotals::requests).orElse(0L)));
      out.name("requestsAfter").value(source.scaled(is.map(RuleTotals::requests).orElse(0L)));
      out.name("deniedBefore").value(source.scaled(was.map(RuleTotals::denied).orElse(0L)));
      out.name("deniedAfter").value(source.scaled(is.map(RuleTotals::denied).orElse(0L)));
      out.end();
    }
    out.endList();
  }

  private static Map<String, RuleTotals> totals(RuleSimulator simulator) {
    var totals = new LinkedHashMap<String, RuleTotals>();
    for (var rule : simulator.byRule()) totals.put(rule.rule().id(), rule);
    return totals;
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
