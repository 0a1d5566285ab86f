package io.headgate.rulefile;

import io.headgate.rule.Mode;
import io.headgate.rule.Pattern;
import io.headgate.rule.Rule;
import io.headgate.rule.Schedule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Warns of enforced rules that a caller escapes by leaving an attribute out: the condition is an
 * exception or {@code *}, which an absent attribute does not meet, and no rule for every value
 * limits such callers.
 */
final class EscapeWarnings {
  private static final List<String> EVERYTHING = List.of("", "");

  /** For each rule that applies to every value of its attributes, those that must be present. */
  private final Set<Set<String>> needed = new HashSet<>();

  /**
   * @param rules all rules, of which some may limit the callers that escape others
   */
  EscapeWarnings(List<Rule> rules) {
    for (var rule : rules) {
      boolean always = rule.mode() == Mode.ENFORCE && rule.active().equals(Schedule.ALWAYS);
      boolean matchesEveryValue =
          rule.match().conditions().values().stream().allMatch(EscapeWarnings::isEveryValue);
      if (always && isLimit(rule) && matchesEveryValue) needed.add(needed(rule));
    }
  }

  /** Returns the warning for a rule. */
  Optional<String> of(Rule rule) {
    if (rule.mode() != Mode.ENFORCE || !isLimit(rule)) return Optional.empty();
    var escapes = new ArrayList<String>();
    var remedies = new ArrayList<String>();
    rule.match()
        .conditions()
        .forEach((attribute, pattern) -> {
          boolean except = pattern instanceof Pattern.Except;
          if (pattern.matchesAbsent() || !(except || isEveryValue(pattern))) return;
          if (isLimitedWithout(attribute, rule)) return;
          escapes.add(Excerpt.shown(attribute));
          remedies.add(
              "%s: { %s, or: absent }"
                  .formatted(Excerpt.shown(attribute), except ? "except: …" : "is: \"*\""));
        });
    if (escapes.isEmpty()) return Optional.empty();
    return Optional.of(
        "rule '%s': a caller without %s escapes it, and no other rule limits such callers. To include them write %s, or add a fallback rule with match: {}"
            .formatted(
                Excerpt.shown(rule.id()),
                String.join(" or ", escapes),
                String.join(" and ", remedies)));
  }

  /** Returns whether a rule limits callers; a rule that is exempt or sheds load does not. */
  private static boolean isLimit(Rule rule) {
    return !rule.exempt() && !rule.sheds();
  }

  /** Returns whether another rule applies to every caller of the rule without the attribute. */
  private boolean isLimitedWithout(String attribute, Rule rule) {
    var present = needed(rule);
    present.remove(attribute);
    return needed.stream().anyMatch(present::containsAll);
  }

  private static Set<String> needed(Rule rule) {
    var present = new HashSet<String>();
    rule.match()
        .conditions()
        .forEach((attribute, pattern) -> {
          if (!pattern.matchesAbsent()) present.add(attribute);
        });
    return present;
  }

  private static boolean isEveryValue(Pattern pattern) {
    return switch (pattern) {
      case Pattern.Glob glob -> glob.pieces().equals(EVERYTHING);
      case Pattern.OrAbsent(var present) -> isEveryValue(present);
      case Pattern.AnyOf(var patterns) -> patterns.stream().anyMatch(EscapeWarnings::isEveryValue);
      case Pattern.Exactly exactly -> false;
      case Pattern.Cidr block -> false;
      case Pattern.Except except -> false;
      case Pattern.Absent absent -> false;
    };
  }
}
