package io.headgate.rule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Rules that are in force together, compiled once and never changed.
 *
 * <p>Every rule that matches applies; inside a rule, the first override that matches replaces its
 * limit; a rule marked fallback applies only when no other does. (A shadow rule has no say, so it
 * does not keep a fallback from applying.)
 */
public final class RuleSet {
  private final List<Rule> rules;
  private final List<CompiledRule> clauses;
  private final MatchIndex index;
  private final Map<String, CompiledRule> byId = new HashMap<>();
  private final boolean scheduled;
  private final boolean concurrency;

  private RuleSet(List<Rule> rules) {
    this.rules = List.copyOf(rules);
    var ids = new HashSet<String>();
    for (var rule : rules) {
      if (!ids.add(rule.id())) {
        throw new IllegalArgumentException(
            "two rules have the id '%s'; ids must be unique".formatted(rule.id()));
      }
    }
    this.clauses = rules.stream().map(CompiledRule::new).toList();
    this.index = new MatchIndex(rules.stream().map(Rule::match).toList());
    for (var clause : clauses) byId.put(clause.rule().id(), clause);
    this.scheduled = clauses.stream().anyMatch(CompiledRule::isScheduled);
    this.concurrency = clauses.stream().anyMatch(CompiledRule::hasConcurrency);
  }

  public static RuleSet of(List<Rule> rules) {
    return new RuleSet(rules);
  }

  public static RuleSet of(Rule... rules) {
    return new RuleSet(List.of(rules));
  }

  public List<Rule> rules() {
    return rules;
  }

  /** Whether any rule's effect depends on the time of asking, so that a plan needs to know it. */
  public boolean isScheduled() {
    return scheduled;
  }

  /** Whether any limit counts requests in flight, so that a plan needs to name who holds them. */
  public boolean hasConcurrency() {
    return concurrency;
  }

  /**
   * Finds a limit by its names.
   *
   * @param override which override of the rule it is in; -1 for the rule itself
   * @param name the limit's {@link Counter#id}
   */
  public Optional<Counter> counter(String rule, int override, String name) {
    var clause = byId.get(rule);
    if (clause == null) return Optional.empty();
    // A counter apart belongs to one override, wherever a change of the rules has moved it.
    return Stream.concat(
            clause.part(override).counters().stream(),
            clause.counters().stream().filter(counter -> !counter.override().isEmpty()))
        .filter(counter -> counter.id().equals(name))
        .findFirst();
  }

  /**
   * Returns every counter that the rule can charge to the subject, whichever of its overrides
   * applies to a single request, each as a charge of no permits. A counter that is kept per none of
   * the subject's attributes is not the subject's own, and comes along only where it applies. Empty
   * if there is no such rule.
   */
  public List<Charge> countersOf(Subject subject, String rule) {
    var clause = byId.get(rule);
    if (clause == null) return List.of();
    var applying = clause.part(clause.override(subject)).counters();
    return Stream.concat(
            applying.stream(),
            clause.counters().stream()
                .filter(counter -> counter.per().stream().anyMatch(a -> subject.find(a) != null)))
        .distinct()
        .map(counter -> new Charge(counter, counter.keyOf(subject), 0, 0))
        .toList();
  }

  /**
   * What the request is to be held against.
   *
   * @param now microseconds since the epoch; ignored unless {@link #isScheduled}
   * @param holder names the slots that the request takes in limits of concurrency
   */
  public Plan plan(Request request, long now, long holder) {
    var subject = request.subject();
    var found = index.find(subject);
    if (found.size() == 1) return onlyRule(clauses.get(found.get(0)), request, now, holder);
    var parts = new ArrayList<Plan.Part>(found.size());
    var charges = new ArrayList<Charge>(found.size());
    boolean needsFallback = true;
    boolean hasFallback = false;
    for (int i = 0; i < found.size(); i++) {
      var clause = clauses.get(found.get(i));
      if (!applies(clause, now)) continue;
      if (clause.rule().fallback()) {
        hasFallback = true;
      } else {
        add(clause, request, holder, parts, charges);
        needsFallback &= clause.rule().mode() != Mode.ENFORCE;
      }
    }
    for (int i = 0; hasFallback && needsFallback && i < found.size(); i++) {
      var clause = clauses.get(found.get(i));
      if (clause.rule().fallback() && applies(clause, now)) {
        add(clause, request, holder, parts, charges);
      }
    }
    return new Plan(parts, charges);
  }

  /** The commonest case by far, and the one that shows in a check's time. */
  private static Plan onlyRule(CompiledRule clause, Request request, long now, long holder) {
    if (!applies(clause, now)) return Plan.NOTHING;
    var alone = clause.alone(clause.override(request.subject()));
    var counters = alone.getFirst().counters();
    if (counters.size() == 1) {
      var charge = charge(counters.getFirst(), request, holder);
      return new Plan(alone, charge);
    }
    var charges = new ArrayList<Charge>(counters.size());
    for (var counter : counters) charges.add(charge(counter, request, holder));
    return new Plan(alone, charges);
  }

  /** Says of every rule whether it applies to the subject, and if not, why not. */
  public List<MatchExplanation> explain(Subject subject, long now) {
    var all = new ArrayList<MatchExplanation>(clauses.size());
    boolean enforced = false;
    for (var clause : clauses) {
      var rule = clause.rule();
      if (!rule.fallback() && rule.mode() == Mode.ENFORCE) {
        enforced |= rule.match().matches(subject) && clause.isActive(now);
      }
    }
    for (var clause : clauses) all.add(MatchExplanation.of(clause, subject, now, enforced));
    return all;
  }

  private static boolean applies(CompiledRule clause, long now) {
    return clause.rule().mode() != Mode.OFF && clause.isActive(now);
  }

  private static void add(
      CompiledRule clause,
      Request request,
      long holder,
      List<Plan.Part> parts,
      List<Charge> charges) {
    var part = clause.part(clause.override(request.subject())).at(charges.size());
    parts.add(part);
    for (var counter : part.counters()) charges.add(charge(counter, request, holder));
  }

  private static Charge charge(Counter counter, Request request, long holder) {
    String key = counter.keyOf(request.subject());
    long cost = counter.costOf(request);
    return new Charge(counter, key, cost, holder);
  }
}
