package io.headgate.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Why a rule does or does not apply to a subject.
 *
 * @param applies whether it is part of the plan
 * @param conditions each condition of the rule, and what the subject has there
 * @param override the position of the override that replaces the rule's limit
 * @param reason one sentence for people
 */
public record MatchExplanation(
    Rule rule, boolean applies, List<Condition> conditions, OptionalInt override, String reason) {

  /** One attribute of a rule's match, held against the subject. */
  public record Condition(String attribute, String pattern, String value, boolean met) {
    /** What {@link #value} says of an attribute that the subject does not have. */
    public static final String ABSENT = "(absent)";
  }

  public MatchExplanation {
    conditions = List.copyOf(conditions);
  }

  /** How many of the rule's conditions the subject meets: what makes a miss a near one. */
  public long met() {
    return conditions.stream().filter(Condition::met).count();
  }

  static MatchExplanation of(CompiledRule clause, Subject subject, long now, boolean otherApplies) {
    var rule = clause.rule();
    var conditions = new ArrayList<Condition>();
    rule.match()
        .conditions()
        .forEach((name, pattern) -> {
          String value = subject.find(name);
          boolean met = value != null && pattern.matches(value);
          conditions.add(
              new Condition(name, pattern.text(), value == null ? Condition.ABSENT : value, met));
        });
    boolean matches = conditions.stream().allMatch(Condition::met);
    boolean applies =
        matches
            && rule.mode() != Mode.OFF
            && clause.isActive(now)
            && !(rule.fallback() && otherApplies);
    int override = applies ? clause.override(subject) : -1;
    return new MatchExplanation(
        rule,
        applies,
        conditions,
        override < 0 ? OptionalInt.empty() : OptionalInt.of(override),
        reason(clause, conditions, matches, now, otherApplies, override));
  }

  private static String reason(
      CompiledRule clause,
      List<Condition> conditions,
      boolean matches,
      long now,
      boolean otherApplies,
      int override) {
    var rule = clause.rule();
    if (!matches) {
      var missed = conditions.stream().filter(condition -> !condition.met()).findFirst();
      return missed
          .map(c -> "%s is %s, not %s".formatted(c.attribute(), c.value(), c.pattern()))
          .orElse("nothing matches");
    }
    if (rule.mode() == Mode.OFF) return "matches, but its mode is off";
    if (!clause.isActive(now)) return "matches, but is not active at this time";
    if (rule.fallback() && otherApplies) return "is a fallback, and another rule applies";
    String how =
        rule.mode() == Mode.SHADOW ? "applies in shadow: counts and never denies" : "applies";
    if (override < 0) return how;
    how += ", with override %d".formatted(override + 1);
    var apart =
        clause.part(override).counters().stream()
            .filter(counter -> !counter.override().isEmpty())
            .map(Counter::policy)
            .toList();
    return apart.isEmpty()
        ? how
        : how + ", which has a counter of its own for " + String.join(", ", apart);
  }
}
