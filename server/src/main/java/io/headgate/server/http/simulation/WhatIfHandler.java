package io.headgate.server.http.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.RateLimiter;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
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

/** Real requests under the rules in force and under others. */
public final class WhatIfHandler {
  /**
   * For what each of two sets of rules remembers, with {@link SimulationExecutor#AT_ONCE} trials
   * under way: a quarter of a gigabyte in all.
   */
  private static final long ROOM = 64L << 20;

  private static final String MORE_KEYS = "./headgate simulate --max-keys keeps more, of a log";

  private final RateLimiter limiter;
  private final SimulationExecutor trials;

  public WhatIfHandler(RateLimiter limiter, SimulationExecutor trials) {
    this.limiter = limiter;
    this.trials = trials;
  }

  public void answer(Exchange exchange, byte[] body) {
    trials.run(exchange, patience -> run(WhatIfReader.read(body), patience));
  }

  private JsonWriter run(WhatIfReader.Asked asked, Deadline patience) {
    var before = limiter.rules();
    var after = changed(before, asked);
    try (var comparison = Comparison.of(bench(before), bench(after), patience)) {
      var source =
          asked.log().isPresent() ? log(comparison, asked.log().get()) : recent(comparison);
      return WhatIfJson.of(comparison, source);
    } catch (SimulationBudget.Exceeded e) {
      throw new ProblemException(
          ProblemDocument.of(
              400,
              e.getMessage()
                  + "; try fewer requests or rules, or replay a log with ./headgate simulate"));
    }
  }

  private static RuleSimulator bench(RuleSet rules) {
    return new RuleSimulator(rules, SimulationBudget.within(ROOM, rules));
  }

  private static RuleSet changed(RuleSet before, WhatIfReader.Asked asked) {
    var rules =
        RulesJson.read(
            "rules",
            "the rules are not valid",
            () ->
                asked.replace().isEmpty()
                    ? RuleFile.read(asked.rules())
                    : replaced(
                        before.rules(), asked.replace().get(), RuleFile.readRule(asked.rules())));
    try {
      return RuleSet.of(rules);
    } catch (IllegalArgumentException e) {
      throw new ProblemException(
          ProblemDocument.of(400, "rules", "the rules can't stand together: " + e.getMessage()));
    }
  }

  /** In the place of the one named so or, where there is none, after the others. */
  private static List<Rule> replaced(List<Rule> rules, String id, Rule rule) {
    var changed = new ArrayList<>(rules);
    changed.replaceAll(old -> old.id().equals(id) ? rule : old);
    if (!changed.contains(rule)) changed.add(rule);
    return changed;
  }

  private WhatIfJson.Source recent(Comparison comparison) {
    var sample = trials.traffic().sample();
    sample.arrivals().forEach(comparison::add);
    var notes = SimulationNotes.of(comparison, "what was asked lately", MORE_KEYS);
    return new WhatIfJson.Source("recent", sample.weight(), 0, List.of(), notes);
  }

  private static WhatIfJson.Source log(Comparison comparison, WhatIfReader.Log given) {
    var rules = List.of(comparison.before().rules(), comparison.after().rules());
    var mapped = given.key().map(key -> Map.of(Subject.KEY, key)).orElse(Map.of());
    var order = ReorderBuffer.whole(comparison::add, true);
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
              "source.key says what key is made of, and ./headgate simulate --attr any other"));
    }
    notes.addAll(SimulationNotes.of(comparison, "a log", MORE_KEYS));
    return notes;
  }

  private static Attributes attributes(List<RuleSet> rules, Map<String, String> mapped) {
    RequiredFields wanted;
    try {
      wanted = RequiredFields.by(rules);
    } catch (IllegalArgumentException e) {
      throw new ProblemException(ProblemDocument.of(400, "rules", String.valueOf(e.getMessage())));
    }
    try {
      return Attributes.of(wanted, mapped);
    } catch (IllegalArgumentException e) {
      throw ProblemException.badInput("source.key", String.valueOf(e.getMessage()));
    }
  }
}
