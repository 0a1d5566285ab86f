package io.headgate.server.rules;

import io.headgate.limit.Algorithm;
import io.headgate.limit.Deny;
import io.headgate.rule.Match;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Schedule;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Effect of a rule change on a set of callers.
 *
 * @param sampled number of callers examined
 * @param count number of those callers that would be limited differently
 * @param affected the first {@value #MAX_LISTED} of them
 */
public record ImpactReport(int sampled, int count, List<Affected> affected) {
  private static final List<RuleLimit> NO_LIMIT = List.of(RuleLimit.of("none", new Deny()));

  /** Maximum number of callers listed in a report. */
  public static final int MAX_LISTED = 100;

  /** A caller together with every rule that would treat it differently. */
  public record Affected(Subject subject, List<Effect> effects) {}

  /** Effect of one rule: it starts to apply, stops applying, or limits differently. */
  public record Effect(RuleDiff.Kind kind, String rule, List<RuleDiff.Edit> edits) {}

  public ImpactReport {
    affected = List.copyOf(affected);
  }

  /**
   * Compares the plans of each caller under both rule sets.
   *
   * @param now microseconds since the epoch, for rules with a schedule
   */
  public static ImpactReport of(
      RuleSet before, RuleSet after, Collection<Subject> callers, long now) {
    var listed = new ArrayList<Affected>();
    int count = 0;
    for (var caller : callers) {
      var effects = effects(parts(before, caller, now), parts(after, caller, now));
      if (effects.isEmpty()) continue;
      count++;
      if (listed.size() < MAX_LISTED) listed.add(new Affected(caller, effects));
    }
    return new ImpactReport(callers.size(), count, listed);
  }

  private static Map<String, Plan.Part> parts(RuleSet rules, Subject caller, long now) {
    var parts = new LinkedHashMap<String, Plan.Part>();
    for (var part : rules.plan(Request.of(caller), now, 0).parts()) {
      parts.put(part.rule().id(), part);
    }
    return parts;
  }

  private static List<Effect> effects(Map<String, Plan.Part> before, Map<String, Plan.Part> after) {
    var ids = new LinkedHashSet<>(after.keySet());
    ids.addAll(before.keySet());
    var effects = new ArrayList<Effect>();
    for (var id : ids) {
      var was = Optional.ofNullable(before.get(id));
      var is = Optional.ofNullable(after.get(id));
      if (was.isPresent() && is.isPresent() && isSame(was.get(), is.get())) continue;
      var edits =
          RuleDiff.edits(
              was.map(ImpactReport::fields).orElse(Map.of()),
              is.map(ImpactReport::fields).orElse(Map.of()));
      if (edits.isEmpty()) continue;
      var kind =
          was.isEmpty()
              ? RuleDiff.Kind.ADDED
              : is.isEmpty() ? RuleDiff.Kind.REMOVED : RuleDiff.Kind.CHANGED;
      effects.add(new Effect(kind, id, edits));
    }
    return effects;
  }

  private static boolean isSame(Plan.Part was, Plan.Part is) {
    return was.override() == is.override() && was.rule().equals(is.rule());
  }

  /**
   * Returns the fields of the rule that matter to this caller, without its match, other overrides
   * and schedule.
   */
  private static Map<String, String> fields(Plan.Part part) {
    var rule = part.rule();
    var limits =
        part.override() < 0 ? rule.limits() : rule.overrides().get(part.override()).limits();
    var bare =
        rule.toBuilder()
            .description("")
            .match(Match.EVERYTHING)
            .overrides(List.of())
            .fallback(false)
            .active(Schedule.ALWAYS);
    if (rule.exempt()) return RuleFields.of(bare.build());
    bare.per(rule.per().orElseGet(() -> wildcardAttributes(rule.match())));
    if (!part.isUnlimited()) return RuleFields.of(bare.limits(limits).build());
    // Only an override can be unlimited, so the limit is filled in.
    var fields = RuleFields.of(bare.limits(NO_LIMIT).build());
    fields.put("limit", Algorithm.UNLIMITED.id());
    return fields;
  }

  /** Returns the attributes that key the counters when the rule has no {@code per}. */
  private static List<String> wildcardAttributes(Match match) {
    return match.conditions().entrySet().stream()
        .filter(condition -> condition.getValue().isWildcard())
        .map(Map.Entry::getKey)
        .toList();
  }
}
