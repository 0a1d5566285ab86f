package io.headgate.server.http.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.RateLimiter;
import io.headgate.http.TextSyntax;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.http.admin.RulesJson;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.simulation.Comparison;
import io.headgate.server.simulation.Deadline;
import io.headgate.server.simulation.ReorderBuffer;
import io.headgate.server.simulation.RuleSimulator;
import io.headgate.server.simulation.SimulationBudget;
import io.headgate.server.simulation.SimulationNotes;
import io.headgate.server.simulation.accesslog.AccessLog;
import io.headgate.server.simulation.accesslog.Attributes;
import io.headgate.server.simulation.accesslog.RequiredFields;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Handles the what-if endpoint: replays recorded requests under the rules in force and under other
 * rules, and compares the decisions.
 */
public final class WhatIfHandler {
  /**
   * The memory for the counters of each of the two rule sets. With {@link
   * SimulationExecutor#MAX_CONCURRENT} simulations running, this is a quarter of a gigabyte in
   * total.
   */
  private static final long MAX_STATE_BYTES = 64L << 20;

  private static final String MORE_KEYS = "./headgate simulate --max-keys keeps more for a log";

  private final RateLimiter limiter;
  private final SimulationExecutor simulations;
  private final Function<Exchange, CallerMask> masks;

  /**
   * @param simulations runs the simulation
   * @param masks returns how callers of recent traffic are shown in the response to a request
   */
  public WhatIfHandler(
      RateLimiter limiter, SimulationExecutor simulations, Function<Exchange, CallerMask> masks) {
    this.limiter = limiter;
    this.simulations = simulations;
    this.masks = masks;
  }

  /** Runs the comparison that the body describes, and answers with its result. */
  public void answer(Exchange exchange, byte[] body) {
    var mask = masks.apply(exchange);
    simulations.run(exchange, deadline -> run(WhatIfReader.read(body), deadline, mask));
  }

  private JsonWriter run(
      WhatIfReader.WhatIfRequest request, Deadline deadline, CallerMask recentMask) {
    var before = limiter.rules();
    var after = changed(before, request);
    if (request.log().isEmpty() && recentMask.isActive()) rejectProbes(before, after);
    try (var comparison = Comparison.of(simulator(before), simulator(after), deadline)) {
      var source =
          request.log().isPresent() ? log(comparison, request.log().get()) : recent(comparison);
      // The client knows the names in a log that it has sent.
      var mask = request.log().isPresent() ? CallerMask.NONE : recentMask;
      return WhatIfJson.of(comparison, source, mask);
    } catch (SimulationBudget.Exceeded e) {
      throw new ProblemException(
          ProblemDocument.of(
              400,
              e.getMessage()
                  + "; try fewer requests or rules, or replay a log with ./headgate simulate"));
    }
  }

  /**
   * Rejects conditions of the client's choice while callers are masked: the number of requests that
   * match {@code a*} tells whether a name begins with it, and some more such rules tell the name.
   */
  private static void rejectProbes(RuleSet before, RuleSet after) {
    var added = RuleValues.added(before.rules(), after.rules());
    if (added.isEmpty()) return;
    throw new ProblemException(
        ProblemDocument.of(
            403,
            "rules",
            "the condition '%s' is not in force, and callers are masked, so a read token can't apply it to"
                    .formatted(TextSyntax.excerpt(added.get()))
                + " recent traffic; use conditions of the rules in force, '*', a log, or an admin"
                + " token"));
  }

  private static RuleSimulator simulator(RuleSet rules) {
    return new RuleSimulator(rules, SimulationBudget.within(MAX_STATE_BYTES, rules));
  }

  private static RuleSet changed(RuleSet before, WhatIfReader.WhatIfRequest request) {
    var rules =
        RulesJson.read(
            "rules",
            "the rules are not valid",
            () ->
                request.replace().isEmpty()
                    ? RuleFile.read(request.rules())
                    : replaced(
                        before.rules(),
                        request.replace().get(),
                        RuleFile.readRule(request.rules())));
    try {
      return RuleSet.of(rules);
    } catch (IllegalArgumentException e) {
      throw new ProblemException(
          ProblemDocument.of(
              400, "rules", "the rules conflict with each other: " + e.getMessage()));
    }
  }

  /** Replaces the rule with this id, or appends the rule if there is none. */
  private static List<Rule> replaced(List<Rule> rules, String id, Rule rule) {
    var changed = new ArrayList<>(rules);
    changed.replaceAll(old -> old.id().equals(id) ? rule : old);
    if (!changed.contains(rule)) changed.add(rule);
    return changed;
  }

  private WhatIfJson.Source recent(Comparison comparison) {
    var sample = simulations.traffic().sample();
    sample.arrivals().forEach(comparison::add);
    var notes = new ArrayList<String>();
    SimulationNotes.sampled(sample.arrivals().size(), sample.seen()).ifPresent(notes::add);
    notes.addAll(SimulationNotes.of(comparison, "recent traffic", MORE_KEYS));
    return new WhatIfJson.Source("recent", sample.weight(), 0, List.of(), notes);
  }

  private static WhatIfJson.Source log(Comparison comparison, WhatIfReader.Log given) {
    var rules = List.of(comparison.before().rules(), comparison.after().rules());
    var mapped = given.key().map(key -> Map.of(Subject.KEY, key)).orElse(Map.of());
    var order = ReorderBuffer.unbounded(comparison::add, true);
    try {
      var lines = new LogLineBudget(order::add);
      var log = new AccessLog(attributes(rules, mapped), given.format(), false, lines);
      log.read(new ByteArrayInputStream(given.text().getBytes(UTF_8)));
      order.finish();
      var notes = notes(comparison, log);
      return new WhatIfJson.Source("log", 1, log.unreadable(), log.samples(), notes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> notes(Comparison comparison, AccessLog log) {
    var notes = new ArrayList<String>();
    if (!log.missing().isEmpty()) {
      notes.add(
          SimulationNotes.missing(
              log.missing(),
              "source.key sets the template of key, ./headgate simulate --attr that of any attribute"));
    }
    notes.addAll(SimulationNotes.of(comparison, "a log", MORE_KEYS));
    return notes;
  }

  private static Attributes attributes(List<RuleSet> rules, Map<String, String> mapped) {
    RequiredFields required;
    try {
      required = RequiredFields.of(rules);
    } catch (IllegalArgumentException e) {
      throw new ProblemException(ProblemDocument.of(400, "rules", String.valueOf(e.getMessage())));
    }
    try {
      return Attributes.of(required, mapped);
    } catch (IllegalArgumentException e) {
      throw ProblemException.badInput("source.key", String.valueOf(e.getMessage()));
    }
  }
}
