package io.headgate.rule;

import io.headgate.internal.hash.KeyedHash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An immutable set of rules, compiled for matching. Safe for use by several threads.
 *
 * <p>Every rule that matches applies; inside a rule, the first override that matches replaces its
 * limit; a rule marked {@code fallback} applies only when no other does; a rule marked {@code
 * exempt} excuses the subjects it matches from all others.
 *
 * <p>A rule that denies every request decides alone, unless an exempt rule does. Shadow rules are
 * not enforced, so they don't prevent a fallback from applying, and excuse from no other rule. A
 * rule that sheds load does not prevent a fallback either, since it does not limit a caller.
 */
public final class RuleSet {
  private final List<Rule> rules;
  private final CompiledRule[] compiledRules;
  private final MatchIndex index;
  private final Map<String, CompiledRule> byId = new HashMap<>();
  private final boolean scheduled;
  private final boolean concurrency;
  private final boolean decisive;
  private final boolean shedding;
  private final boolean tuning;
  private final boolean namedCosts;
  private final boolean requiredCosts;
  private final boolean isStatic;

  private RuleSet(List<Rule> rules) {
    this.rules = List.copyOf(rules);
    var ids = new HashSet<String>();
    for (var rule : rules) {
      if (!ids.add(rule.id())) {
        throw new IllegalArgumentException(
            "two rules have the id '%s'; ids must be unique".formatted(rule.id()));
      }
    }
    this.compiledRules = rules.stream().map(CompiledRule::new).toArray(CompiledRule[]::new);
    this.index = new MatchIndex(rules.stream().map(Rule::match).toList());
    for (var compiled : compiledRules) byId.put(compiled.rule().id(), compiled);
    this.scheduled = Arrays.stream(compiledRules).anyMatch(CompiledRule::isScheduled);
    this.concurrency = Arrays.stream(compiledRules).anyMatch(CompiledRule::hasConcurrency);
    this.shedding = rules.stream().anyMatch(rule -> rule.sheds() && rule.mode() != Mode.OFF);
    this.tuning = Arrays.stream(compiledRules).anyMatch(CompiledRule::isTuned);
    this.decisive = Arrays.stream(compiledRules).anyMatch(CompiledRule::isDecisive);
    this.namedCosts = limits(rules).anyMatch(limit -> limit.cost().isPresent());
    this.requiredCosts = limits(rules).anyMatch(RuleLimit::isCostRequired);
    this.isStatic = !scheduled && !concurrency && !shedding && !tuning && !requiredCosts;
  }

  private static Stream<RuleLimit> limits(List<Rule> rules) {
    return rules.stream()
        .flatMap(rule ->
            Stream.concat(
                rule.limits().stream(),
                rule.overrides().stream().flatMap(override -> override.limits().stream())));
  }

  /**
   * Compiles rules.
   *
   * @throws IllegalArgumentException if two rules have the same id
   */
  public static RuleSet of(List<Rule> rules) {
    return new RuleSet(rules);
  }

  /** Compiles rules. */
  public static RuleSet of(Rule... rules) {
    return new RuleSet(List.of(rules));
  }

  /** Returns the rules in their order. */
  public List<Rule> rules() {
    return rules;
  }

  /**
   * Returns whether a plan depends on the request only: neither on time, slots nor signals, and no
   * cost is required.
   */
  public boolean isStatic() {
    return isStatic;
  }

  /** Returns whether any rule has a schedule, so that a plan depends on the time. */
  public boolean isScheduled() {
    return scheduled;
  }

  /** Returns whether there is a concurrency limit, so that a plan needs a holder for its slots. */
  public boolean hasConcurrency() {
    return concurrency;
  }

  /** Returns whether a rule sheds load, so that a plan depends on the levels of backends. */
  public boolean hasShedding() {
    return shedding;
  }

  /** Returns whether a limit has a rate that follows a signal. */
  public boolean hasTuning() {
    return tuning;
  }

  /** Returns whether a limit requires a named cost; see {@link Plan#requireCosts}. */
  public boolean hasRequiredCosts() {
    return requiredCosts;
  }

  /**
   * Returns the costs of a request that no limit of a matching rule spends. The plain cost counts
   * if it is above 1, the default, and all limits that match spend named costs. If a rule denies
   * every request or is exempt, no cost is unused, since none is to be spent.
   *
   * @param now microseconds since the epoch; ignored unless {@link #isScheduled}
   */
  public UnusedCosts unusedCosts(Request request, long now) {
    boolean plainMatters = namedCosts && request.cost() > 1;
    if (request.costs().isEmpty() && !plainMatters) return UnusedCosts.NONE;
    var subject = request.subject();
    var found = index.find(subject);
    if (decisive && decider(found, subject, now) != null) return UnusedCosts.NONE;
    var unused = new TreeSet<>(request.costs().keySet());
    var matching = new ArrayList<String>();
    boolean spendsPlain = false;
    boolean spendsNamed = false;
    for (int i = 0; i < found.size(); i++) {
      var compiled = compiledRules[found.get(i)];
      matching.add(compiled.rule().id());
      for (var limit : compiled.spending(subject)) {
        spendsPlain |= limit.cost().isEmpty();
        spendsNamed |= limit.cost().isPresent();
        limit.cost().ifPresent(unused::remove);
      }
    }
    if (plainMatters && spendsNamed && !spendsPlain) unused.add(Request.PLAIN_COST);
    return unused.isEmpty()
        ? UnusedCosts.NONE
        : new UnusedCosts(List.copyOf(unused), List.copyOf(matching));
  }

  /**
   * Returns the levels that a signal of the subject moves: those of the rules that shed load and of
   * the limits whose rate follows a signal, if they match the subject. Each is a charge of cost 0.
   */
  public List<Charge> signalled(Subject subject) {
    if (!shedding && !tuning) return List.of();
    var found = index.find(subject);
    var levels = new ArrayList<Charge>();
    for (int i = 0; i < found.size(); i++) {
      var compiled = compiledRules[found.get(i)];
      if (compiled.rule().mode() == Mode.OFF) continue;
      var part = compiled.part(compiled.override(subject));
      var shed = compiled.part(-1).shedding();
      if (shed != null) levels.add(new Charge(shed, shed.keyOf(subject), 0, 0));
      for (var counter : part.counters()) {
        if (counter.tuning().isEmpty()) continue;
        levels.add(new Charge(counter, counter.keyOf(subject), 0, 0));
      }
    }
    return levels;
  }

  /** Finds a rule by its id. */
  public Optional<Rule> rule(String id) {
    return Optional.ofNullable(byId.get(id)).map(CompiledRule::rule);
  }

  /**
   * Finds a counter.
   *
   * @param rule the id of the rule
   * @param override the index of the override; -1 for the rule itself
   * @param name the {@link Counter#id}
   */
  public Optional<Counter> counter(String rule, int override, String name) {
    var compiled = byId.get(rule);
    if (compiled == null) return Optional.empty();
    // A separate counter belongs to one override, whose index may have changed.
    return Stream.concat(
            compiled.part(override).counters().stream(),
            compiled.counters().stream().filter(counter -> !counter.override().isEmpty()))
        .filter(counter -> counter.id().equals(name))
        .findFirst();
  }

  /**
   * Returns every counter that the rule may charge for the subject, including those of overrides
   * that don't apply to this request, each as a charge of cost 0. A counter that is shared with
   * other subjects, because none of its attributes is the subject's, is included only if it
   * applies.
   *
   * @param rule the id of the rule
   * @return empty if there is no such rule
   */
  public List<Charge> countersOf(Subject subject, String rule) {
    var compiled = byId.get(rule);
    if (compiled == null) return List.of();
    var applying = compiled.part(compiled.override(subject)).counters();
    return Stream.concat(
            applying.stream(),
            compiled.counters().stream()
                .filter(counter -> counter.per().stream().anyMatch(a -> subject.find(a) != null)))
        .distinct()
        .map(counter -> new Charge(counter, counter.keyOf(subject), 0, 0, counter.shareOf(subject)))
        .toList();
  }

  /**
   * Returns the plan of a request: all counters it must pass.
   *
   * @param now microseconds since the epoch; ignored unless {@link #isScheduled}
   * @param holder identifies the slots that the request acquires in concurrency limits
   */
  public Plan plan(Request request, long now, long holder) {
    var subject = request.subject();
    var found = index.find(subject);
    if (found.size() == 1) return onlyRule(compiledRules[found.get(0)], request, now, holder);
    if (decisive) {
      var decider = decider(found, subject, now);
      if (decider != null) return new Plan(List.of(decider), List.of());
    }
    return planOfAll(found, request, now, holder);
  }

  /**
   * Returns the part of the rule that decides alone: the first that is exempt, else the first that
   * denies every request, else the first fallback that does, if fallbacks apply.
   */
  private Plan.@Nullable Part decider(IntCollector found, Subject subject, long now) {
    Plan.Part denial = null;
    Plan.Part fallbackDenial = null;
    boolean needsFallback = true;
    for (int i = 0; i < found.size(); i++) {
      var compiled = compiledRules[found.get(i)];
      var rule = compiled.rule();
      if (rule.mode() != Mode.ENFORCE || !compiled.isActive(now)) continue;
      if (rule.exempt()) return compiled.part(-1);
      needsFallback &= rule.fallback() || rule.sheds();
      if (!compiled.denies() || (rule.fallback() ? fallbackDenial : denial) != null) continue;
      var part = compiled.part(compiled.override(subject), now);
      if (!part.denies()) continue;
      if (rule.fallback()) fallbackDenial = part;
      else denial = part;
    }
    return needsFallback ? fallbackDenial : denial;
  }

  private Plan planOfAll(IntCollector found, Request request, long now, long holder) {
    var parts = new ArrayList<Plan.Part>(found.size());
    var charges = new ArrayList<Charge>(found.size());
    boolean needsFallback = true;
    boolean hasFallback = false;
    for (int i = 0; i < found.size(); i++) {
      var compiled = compiledRules[found.get(i)];
      if (!compiled.applies(now)) continue;
      if (compiled.rule().fallback()) {
        hasFallback = true;
      } else {
        add(compiled, request, now, holder, parts, charges);
        needsFallback &= !prevents(compiled.rule());
      }
    }
    for (int i = 0; hasFallback && needsFallback && i < found.size(); i++) {
      var compiled = compiledRules[found.get(i)];
      if (compiled.rule().fallback() && compiled.applies(now)) {
        add(compiled, request, now, holder, parts, charges);
      }
    }
    return new Plan(parts, charges);
  }

  /** Fast path for the most frequent case, a single rule that matches. */
  private static Plan onlyRule(CompiledRule compiled, Request request, long now, long holder) {
    var single = compiled.single();
    if (single == null) return onlyRuleInGeneral(compiled, request, now, holder);
    var charge = charge(single, request, holder); // before the plan, which saves GC barriers
    return new Plan(compiled.base(), charge, compiled.isEnforced());
  }

  private static Plan onlyRuleInGeneral(
      CompiledRule compiled, Request request, long now, long holder) {
    if (!compiled.applies(now)) return Plan.NOTHING;
    int override = compiled.override(request.subject());
    var alone = compiled.alone(override);
    var counters = alone.getFirst().counters();
    if (counters.size() == 1) {
      var charge = charge(counters.getFirst(), request, holder);
      return new Plan(alone, charge, compiled.isEnforced());
    }
    if (counters.isEmpty()) return new Plan(List.of(compiled.part(override, now)), List.of());
    var charges = new ArrayList<Charge>(counters.size());
    addCharges(counters, request, holder, charges);
    return new Plan(alone, charges);
  }

  /**
   * Returns whether a rule applies to the subject or would, if no other rule excused from it or
   * denied every request.
   *
   * @param rule the id of the rule
   * @param now microseconds since the epoch; ignored unless {@link #isScheduled}
   */
  public boolean applies(Subject subject, String rule, long now) {
    return planOfAll(index.find(subject), Request.of(subject), now, 0).parts().stream()
        .anyMatch(part -> part.rule().id().equals(rule));
  }

  /** Explains for every rule whether it applies to the subject and why. */
  public List<MatchExplanation> explain(Subject subject, long now) {
    var decider = decisive ? decider(index.find(subject), subject, now) : null;
    var all = new ArrayList<MatchExplanation>(compiledRules.length);
    boolean enforced = false;
    for (var compiled : compiledRules) {
      var rule = compiled.rule();
      if (!rule.fallback() && prevents(rule)) {
        enforced |= rule.match().matches(subject) && compiled.isActive(now);
      }
    }
    for (var compiled : compiledRules)
      all.add(MatchExplanation.of(compiled, subject, now, enforced, decider));
    return all;
  }

  /** Returns whether a rule that applies prevents fallbacks from applying. */
  private static boolean prevents(Rule rule) {
    return rule.mode() == Mode.ENFORCE && !rule.sheds();
  }

  private static void add(
      CompiledRule compiled,
      Request request,
      long now,
      long holder,
      List<Plan.Part> parts,
      List<Charge> charges) {
    var part = compiled.part(compiled.override(request.subject()), now).at(charges.size());
    parts.add(part);
    addCharges(part.counters(), request, holder, charges);
  }

  /** Adds the charges of counters. Equal keys, as the limits of a rule often have, share a hash. */
  private static void addCharges(
      List<Counter> counters, Request request, long holder, List<Charge> charges) {
    var subject = request.subject();
    String key = "";
    long hash = 0;
    for (int i = 0; i < counters.size(); i++) {
      var counter = counters.get(i);
      String own = counter.keyOf(subject);
      if (i == 0 || !own.equals(key)) hash = KeyedHash.of(own);
      key = own;
      long cost = counter.costOf(request);
      charges.add(new Charge(counter, own, hash, cost, holder, counter.shareOf(subject)));
    }
  }

  private static Charge charge(Counter counter, Request request, long holder) {
    String key = counter.keyOf(request.subject());
    long cost = counter.costOf(request);
    var share = counter.shareOf(request.subject());
    return new Charge(counter, key, cost, holder, share);
  }
}
