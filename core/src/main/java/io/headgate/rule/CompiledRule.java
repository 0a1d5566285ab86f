package io.headgate.rule;

import io.headgate.limit.Deny;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.Stateless;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A rule prepared for evaluation, with its counters in order and its overrides indexed. */
final class CompiledRule {
  private final Rule rule;
  private final List<Plan.Part> base; // a single part, as a list for plans of one rule
  private final List<List<Plan.Part>> overridden = new ArrayList<>();
  private final MatchIndex overrides;
  private final List<Counter> counters; // of the rule, then of each override
  private final boolean scheduled;
  private final boolean denies;
  private final boolean off;
  private final boolean enforced;
  private final @Nullable Counter single; // that of every plan of the rule, if there is one such

  /**
   * Caches the schedule: the last evaluated second times two, plus one if the rule was active. The
   * initial value matches no second.
   */
  private volatile long lastSecond = Long.MIN_VALUE;

  /** A time span of the schedule in which the rule applies, from inclusive to exclusive. */
  private record Span(long from, long until) {}

  private volatile Span lastSpan = new Span(0, 0);

  CompiledRule(Rule rule) {
    this.rule = rule;
    var separate = new SeparateCounters(rule);
    this.base = List.of(part(-1, rule.limits(), counters(rule.limits(), limit -> "")));
    this.overrides = new MatchIndex(rule.overrides().stream().map(LimitOverride::match).toList());
    for (var override : rule.overrides()) {
      var counters =
          counters(
              override.limits(),
              limit -> separate.contains(override, limit) ? override.match().fingerprint() : "");
      overridden.add(List.of(part(overridden.size(), override.limits(), counters)));
    }
    this.counters =
        Stream.concat(Stream.of(base), overridden.stream())
            .flatMap(part -> part.getFirst().counters().stream())
            .toList();
    this.scheduled = !rule.active().equals(Schedule.ALWAYS);
    this.denies = rule.denies();
    this.off = rule.mode() == Mode.OFF;
    this.enforced = rule.mode() == Mode.ENFORCE;
    boolean unconditional = !off && !scheduled && overridden.isEmpty();
    var own = base.getFirst().counters();
    this.single = unconditional && own.size() == 1 ? own.getFirst() : null;
  }

  private Plan.Part part(int override, List<RuleLimit> limits, List<Counter> counters) {
    long deniesFor = Rule.denies(limits) ? Deny.ENDLESS : 0;
    return new Plan.Part(rule, override, counters, 0, deniesFor, shedding(override));
  }

  /** Returns the counter that names the level of a rule that sheds load; null for other rules. */
  private @Nullable Counter shedding(int override) {
    return override < 0 && rule.sheds() ? new Counter(rule, rule.limits().getFirst()) : null;
  }

  Rule rule() {
    return rule;
  }

  /**
   * Returns the counter of a rule that has exactly one for every subject at any time: the rule is
   * not off, and has neither a schedule nor overrides. Otherwise null.
   */
  @Nullable Counter single() {
    return single;
  }

  /** Returns the rule's part without an override, as the list of parts of a plan of one rule. */
  List<Plan.Part> base() {
    return base;
  }

  /** Returns whether the rule is neither off nor outside its schedule. */
  boolean applies(long now) {
    return !off && isActive(now);
  }

  /** Returns whether the rule can deny. */
  boolean isEnforced() {
    return enforced;
  }

  /** Returns the index of the override that applies to the subject; -1 for none. */
  int override(Subject subject) {
    if (overridden.isEmpty()) return -1;
    var found = overrides.find(subject);
    return found.size() == 0 ? -1 : found.get(0);
  }

  /**
   * Returns the limits whose costs the rule expects of the subject: those of the override that
   * applies or, if there is none or it sets no limit, the rule's own.
   */
  List<RuleLimit> spending(Subject subject) {
    int override = override(subject);
    var limits = override < 0 ? rule.limits() : rule.overrides().get(override).limits();
    boolean counted = limits.stream().anyMatch(limit -> !(limit.limit() instanceof Stateless));
    return (counted ? limits : rule.limits())
        .stream().filter(limit -> !(limit.limit() instanceof Stateless)).toList();
  }

  /** Returns the rule's part in a plan under an override; the rule's own if there is none such. */
  Plan.Part part(int override) {
    return alone(override).getFirst();
  }

  /** Returns {@link #part} as the list of parts of a plan of one rule. */
  List<Plan.Part> alone(int override) {
    return override < 0 || override >= overridden.size() ? base : overridden.get(override);
  }

  /**
   * Returns {@link #part} of a plan that is made at {@code now}, at which the rule is active. A
   * part that denies every request has the time until the schedule ends.
   */
  Plan.Part part(int override, long now) {
    var part = part(override);
    return scheduled && part.denies() ? part.denyingFor(activeFor(now)) : part;
  }

  /** Returns whether the rule or one of its overrides denies every request. */
  boolean denies() {
    return denies;
  }

  /** Returns whether the rule may decide alone: it is enforced, and is exempt or denies. */
  boolean isDecisive() {
    return rule.mode() == Mode.ENFORCE && (rule.exempt() || denies);
  }

  private long activeFor(long now) {
    var span = lastSpan;
    if (now < span.from || now >= span.until) {
      span = new Span(now, rule.active().activeUntil(now));
      lastSpan = span;
    }
    return span.until == Schedule.ENDLESS
        ? Deny.ENDLESS
        : Math.clamp(span.until - now, 1, Deny.ENDLESS);
  }

  boolean isTuned() {
    return rule.mode() != Mode.OFF
        && counters.stream().anyMatch(counter -> counter.tuning().isPresent());
  }

  boolean hasConcurrency() {
    return counters.stream().anyMatch(counter -> counter.limit() instanceof SlotLimit);
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
    var regions = RegionDivision.of(rule, limits);
    return ordered.stream()
        .filter(limit -> !(limit.limit() instanceof Stateless))
        .map(limit -> new Counter(rule, limit, override.apply(limit), regions))
        .toList();
  }
}
