package io.headgate.rulefile;

import io.headgate.rule.LimitOverride;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Warns of overrides with counters separate from their rule's. A caller that controls an attribute
 * outside {@code per} can choose between the two counters, and use up both.
 */
final class OverrideWarnings {
  /** Returns a warning for each such limit of an override. */
  static List<String> of(Rule rule) {
    return rule.separateCounters().stream()
        .map(apart -> {
          var override = rule.overrides().get(apart.override());
          return text(rule, apart.override() + 1, override, override.limits().get(apart.limit()));
        })
        .toList();
  }

  private static String text(Rule rule, int number, LimitOverride override, RuleLimit limit) {
    var per = rule.attributesOf(limit);
    var outside =
        override.match().conditions().keySet().stream()
            .filter(attribute -> !per.contains(attribute))
            .toList();
    String chosen = outside.isEmpty() ? "what the override matches" : String.join(", ", outside);
    return "rule '%s': override %d (%s) has a counter of its own for limit '%s', because %s. A caller that chooses %s gets both the rule's %s and the override's %s. If that is too much, limit both together in another rule"
        .formatted(
            Excerpt.shown(rule.id()),
            number,
            match(override),
            limit.name(),
            reason(outside, per),
            chosen,
            rules(rule, limit.name()),
            LimitWriter.summary(limit.limit()));
  }

  private static String reason(List<String> outside, List<String> per) {
    return outside.isEmpty()
        ? "the key of the rule's counter does not determine whether the override applies"
        : "%s %s not in per [%s]"
            .formatted(
                String.join(", ", outside),
                outside.size() == 1 ? "is" : "are",
                String.join(", ", per));
  }

  private static String match(LimitOverride override) {
    return override.match().conditions().entrySet().stream()
        .map(condition -> condition.getKey() + ": " + condition.getValue().text())
        .collect(Collectors.joining(", "));
  }

  /** Describes the limit that the override replaces, or all limits if none has its name. */
  private static String rules(Rule rule, String name) {
    var names = rule.limits().stream().map(RuleLimit::name).collect(Collectors.toSet());
    var wanted = names.contains(name) ? Set.of(name) : names;
    return rule.limits().stream()
        .filter(limit -> wanted.contains(limit.name()))
        .map(limit -> LimitWriter.summary(limit.limit()))
        .collect(Collectors.joining(" and "));
  }

  private OverrideWarnings() {}
}
