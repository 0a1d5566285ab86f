package io.headgate.rule;

import io.headgate.limit.Concurrency;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** A rule, ready for use: its counters in the order they are tried, its overrides indexed. */
final class CompiledRule {
  private final Rule rule;
  private final List<Plan.Part> base; // of one, ready for a plan of one rule
  private final List<List<Plan.Part>> overridden = new ArrayList<>();
  private final MatchIndex overrides;
  private final List<Counter> counters; // the rule's, then each override's
  private final boolean scheduled;

  /**
   * The second last looked at, times two, plus one if it was active; at first, no second at all.
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

  /** The position of the override that applies; -1 for none. */
  int override(Subject subject) {
    if (overridden.isEmpty()) return -1;
    var found = overrides.find(subject);
    return found.size() == 0 ? -1 : found.get(0);
  }

  /** The rule's part in a plan under that override; without one if there is none such. */
  Plan.Part part(int override) {
    return alone(override).getFirst();
  }

  /** That part, as the only one of a plan. */
  List<Plan.Part> alone(int override) {
    return override < 0 || override >= overridden.size() ? base : overridden.get(override);
  }

  boolean hasConcurrency() {
    return counters.stream().anyMatch(counter -> counter.limit() instanceof Concurrency);
  }

  /** Schedules have a resolution of seconds, so that one look at the calendar serves for one. */
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

  /** Every counter of the rule and of its overrides; equal ones differ in their limits. */
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
