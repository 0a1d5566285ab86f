package io.headgate.rule;

import io.headgate.limit.Concurrency;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** A rule prepared for evaluation, with its counters in order and its overrides indexed. */
final class CompiledRule {
  private final Rule rule;
  private final List<Plan.Part> base; // a single part, as a list for plans of one rule
  private final List<List<Plan.Part>> overridden = new ArrayList<>();
  private final MatchIndex overrides;
  private final List<Counter> counters; // of the rule, then of each override
  private final boolean scheduled;

  /**
   * Caches the schedule: the last evaluated second times two, plus one if the rule was active. The
   * initial value matches no second.
   */
  private volatile long lastSecond = Long.MIN_VALUE;

  CompiledRule(Rule rule) {
    this.rule = rule;
    var separate = new SeparateCounters(rule);
    this.base = List.of(new Plan.Part(rule, -1, counters(rule.limits(), limit -> ""), 0));
    this.overrides = new MatchIndex(rule.overrides().stream().map(LimitOverride::match).toList());
    for (var override : rule.overrides()) {
      var counters =
          counters(
              override.limits(),
              limit -> separate.contains(override, limit) ? override.match().fingerprint() : "");
      overridden.add(List.of(new Plan.Part(rule, overridden.size(), counters, 0)));
    }
    this.counters =
        Stream.concat(Stream.of(base), overridden.stream())
            .flatMap(part -> part.getFirst().counters().stream())
            .toList();
    this.scheduled = !rule.active().equals(Schedule.ALWAYS);
  }

  Rule rule() {
    return rule;
  }

  /** Returns the index of the override that applies to the subject; -1 for none. */
  int override(Subject subject) {
    if (overridden.isEmpty()) return -1;
    var found = overrides.find(subject);
    return found.size() == 0 ? -1 : found.get(0);
  }

  /** Returns the rule's part in a plan under an override; the rule's own if there is none such. */
  Plan.Part part(int override) {
    return alone(override).getFirst();
  }

  /** Returns {@link #part} as the list of parts of a plan of one rule. */
  List<Plan.Part> alone(int override) {
    return override < 0 || override >= overridden.size() ? base : overridden.get(override);
  }

  boolean hasConcurrency() {
    return counters.stream().anyMatch(counter -> counter.limit() instanceof Concurrency);
  }

  /**
   * Returns whether the schedule is active. Schedules have a resolution of one second, so the
   * result is cached for that time.
   */
  boolean isActive(long now) {
    if (!scheduled) return true;
    long second = Math.floorDiv(now, 1_000_000);
    long last = lastSecond;
    if (last >> 1 == second) return (last & 1) == 1;
    boolean active = rule.active().isActive(now);
    lastSecond = second << 1 | (active ? 1 : 0);
    return active;
  }

  boolean isScheduled() {
    return scheduled;
  }

  /** Returns every counter of the rule and of its overrides; equal ones may differ in limits. */
  List<Counter> counters() {
    return counters;
  }

  private List<Counter> counters(List<RuleLimit> limits, Function<RuleLimit, String> override) {
    var ordered = new ArrayList<>(limits);
    switch (rule.combine()) {
      case Combine.Hierarchical hierarchical ->
          ordered.sort(Comparator.comparing(limit -> limit.scope().orElse(RuleLimit.Scope.GLOBAL)));
      case Combine.Priority priority ->
          ordered.sort(Comparator.comparingInt(RuleLimit::priority).reversed());
      case Combine.All all -> {}
      case Combine.Any any -> {}
      case Combine.Weighted weighted -> {}
    }
    return ordered.stream().map(limit -> new Counter(rule, limit, override.apply(limit))).toList();
  }
}
