package io.headgate.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.RateLimiter;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.trial.Comparison;
import io.headgate.server.trial.InOrder;
import io.headgate.server.trial.Patience;
import io.headgate.server.trial.log.AccessLog;
import io.headgate.server.trial.log.Attributes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Real requests under the rules in force and under others. */
final class WhatIfCall {
  private final RateLimiter limiter;
  private final Trials trials;

  WhatIfCall(RateLimiter limiter, Trials trials) {
    this.limiter = limiter;
    this.trials = trials;
  }

  void answer(Exchange exchange, byte[] body) {
    trials.run(exchange, patience -> run(WhatIfReader.read(body), patience));
  }

  private JsonOut run(WhatIfReader.Asked asked, Patience patience) {
    var before = limiter.rules();
    var after = changed(before, asked);
    try (var comparison = Comparison.of(before, after, patience)) {
      var source =
          asked.log().isPresent() ? log(comparison, asked.log().get()) : recent(comparison);
      return WhatIfBody.of(comparison, source);
    }
  }

  private static RuleSet changed(RuleSet before, WhatIfReader.Asked asked) {
    var rules =
        RulesBody.read(
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
      throw new Refusal(
          Problem.of(400, "rules", "the rules can't stand together: " + e.getMessage()));
    }
  }

  /** In the place of the one named so or, where there is none, after the others. */
  private static List<Rule> replaced(List<Rule> rules, String id, Rule rule) {
    var changed = new ArrayList<>(rules);
    changed.replaceAll(old -> old.id().equals(id) ? rule : old);
    if (!changed.contains(rule)) changed.add(rule);
    return changed;
  }

  private WhatIfBody.Source recent(Comparison comparison) {
    var sample = trials.traffic().sample();
    sample.arrivals().forEach(comparison::add);
    return new WhatIfBody.Source("recent", sample.weight(), 0, List.of());
  }

  private static WhatIfBody.Source log(Comparison comparison, WhatIfReader.Log given) {
    var rules = List.of(comparison.before().rules(), comparison.after().rules());
    var mapped = given.key().map(key -> Map.of(Subject.KEY, key)).orElse(Map.of());
    var order = InOrder.whole(comparison::add, true);
    try {
      var log = new AccessLog(attributes(rules, mapped), given.format(), false, order::add);
      log.read(new ByteArrayInputStream(given.text().getBytes(UTF_8)));
      order.finish();
      return new WhatIfBody.Source("log", 1, log.unreadable(), log.samples());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Attributes attributes(List<RuleSet> rules, Map<String, String> mapped) {
    try {
      return Attributes.of(rules, mapped);
    } catch (IllegalArgumentException e) {
      throw Refusal.badInput("source.key", String.valueOf(e.getMessage()));
    }
  }
}
