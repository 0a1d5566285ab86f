package io.headgate.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Explains why a rule does or does not apply to a subject.
 *
 * @param rule the rule
 * @param applies whether the rule is part of the subject's plan
 * @param conditions each condition of the rule with the subject's value
 * @param override the index of the override that replaces the rule's limits; empty for none
 * @param reason a human-readable sentence
 */
public record MatchExplanation(
    Rule rule, boolean applies, List<Condition> conditions, OptionalInt override, String reason) {

  /** One condition of a rule, with the subject's value and whether it matches. */
  public record Condition(String attribute, String pattern, String value, boolean met) {
    /** The {@link #value} of an attribute that the subject does not have. */
    public static final String ABSENT = "(absent)";
  }

  /** Copies the list. */
  public MatchExplanation {
    conditions = List.copyOf(conditions);
  }

  /** Returns the number of conditions that the subject meets; high for a near miss. */
  public long met() {
    return conditions.stream().filter(Condition::met).count();
  }

  /**
   * Explains one rule.
   *
   * @param otherApplies whether an enforced rule applies that is not a fallback
   * @param decider the part of the rule that decides alone, if there is one
   */
  static MatchExplanation of(
      CompiledRule compiled,
      Subject subject,
      long now,
      boolean otherApplies,
      Plan.@Nullable Part decider) {
    var rule = compiled.rule();
    var conditions = new ArrayList<Condition>();
    rule.match()
        .conditions()
        .forEach((name, pattern) -> {
          String value = subject.find(name);
          boolean met = Match.matches(pattern, value);
          conditions.add(
              new Condition(name, pattern.text(), value == null ? Condition.ABSENT : value, met));
        });
    boolean matches = conditions.stream().allMatch(Condition::met);
    boolean applies =
        matches
            && rule.mode() != Mode.OFF
            && compiled.isActive(now)
            && (decider == null
                ? !(rule.fallback() && otherApplies)
                : rule.id().equals(decider.rule().id()));
    int override = applies ? compiled.override(subject) : -1;
    return new MatchExplanation(
        rule,
        applies,
        conditions,
        override < 0 ? OptionalInt.empty() : OptionalInt.of(override),
        reason(compiled, conditions, matches, now, otherApplies, decider, override));
  }

  private static String reason(
      CompiledRule compiled,
      List<Condition> conditions,
      boolean matches,
      long now,
      boolean otherApplies,
      Plan.@Nullable Part decider,
      int override) {
    var rule = compiled.rule();
    if (!matches) {
      var missed = conditions.stream().filter(condition -> !condition.met()).findFirst();
      return missed
          .map(c -> "%s is %s, not %s".formatted(c.attribute(), c.value(), c.pattern()))
          .orElse("nothing matches");
    }
    if (rule.mode() == Mode.OFF) return "matches, but its mode is off";
    if (!compiled.isActive(now)) return "matches, but is not active at this time";
    if (decider != null && !rule.id().equals(decider.rule().id())) {
      return decider.denies()
          ? "matches, but rule '%s' denies every request".formatted(decider.rule().id())
          : "matches, but is excused by rule '%s'".formatted(decider.rule().id());
    }
    if (rule.fallback() && otherApplies) return "is a fallback, and another rule applies";
    var part = compiled.part(override);
    String how = rule.mode() == Mode.SHADOW ? "applies in shadow: " + shadow(part) : "applies";
    if (override >= 0) how += ", with override %d".formatted(override + 1);
    if (part.shedding() != null && rule.mode() == Mode.ENFORCE) return how + " and sheds load";
    if (rule.mode() == Mode.ENFORCE) {
      if (rule.exempt()) return how + " and excuses from all other rules";
      if (part.denies()) return how + " and denies every request";
      if (part.isUnlimited()) return how + ", which sets no limit";
    }
    if (override < 0) return how;
    var apart =
        part.counters().stream()
            .filter(counter -> !counter.override().isEmpty())
            .map(Counter::policy)
            .toList();
    return apart.isEmpty()
        ? how
        : how + ", which has a counter of its own for " + String.join(", ", apart);
  }

  private static String shadow(Plan.Part part) {
    if (part.rule().exempt()) return "would excuse from all other rules, and excuses from none";
    if (part.shedding() != null) return "would shed load, and drops nothing";
    if (part.denies()) return "would deny every request, and denies none";
    return part.isUnlimited() ? "sets no limit" : "counts and never denies";
  }
}
