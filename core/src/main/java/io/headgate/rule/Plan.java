package io.headgate.rule;

import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * All limits of all rules that apply to one request, as one pure function: either every rule that
 * is enforced passes and is charged, or nothing is charged at all.
 *
 * <p>A shadow rule is charged as if it were enforced, but only for requests that do go ahead, and
 * what it would have refused is merely reported.
 */
public final class Plan {
  /** One rule's limits, which are the charges from {@code from} on. */
  public record Part(Rule rule, int override, List<Counter> counters, int from) {
    /** The same part behind {@code from} other charges. */
    Part at(int from) {
      return from == this.from ? this : new Part(rule, override, counters, from);
    }

    Part sharedAmong(int n, int from) {
      if (n == 1) return at(from);
      var shares = counters.stream().map(counter -> counter.sharedAmong(n)).toList();
      return new Part(rule, override, shares, from);
    }

    public boolean isEnforced() {
      return rule.mode() == Mode.ENFORCE;
    }

    List<Outcome> of(List<Outcome> all) {
      return counters.size() == all.size() ? all : all.subList(from, from + counters.size());
    }

    /** When this rule would let the request pass; see {@link Combine#retryAfter}. */
    public long retryAfter(List<Outcome> all) {
      return rule.combine().retryAfter(of(all), counters);
    }

    /** The charge whose limit says what remains; see {@link Combine#tightest}. */
    public int tightest(List<Outcome> all) {
      return counters.size() == 1 ? from : from + rule.combine().tightest(of(all), counters);
    }
  }

  static final Plan NOTHING = new Plan(List.of(), List.of());

  private final List<Part> parts;
  private final List<Charge> charges;

  Plan(List<Part> parts, List<Charge> charges) {
    this.parts = parts;
    this.charges = charges;
  }

  public List<Part> parts() {
    return parts;
  }

  public List<Charge> charges() {
    return charges;
  }

  /**
   * Some of the rules, as one of {@code n} instances holds requests against them by itself: each
   * limit is its share, see {@link Limit#sharedAmong}.
   */
  public Plan sharedAmong(int n, Predicate<Part> which) {
    var some = new ArrayList<Part>(parts.size());
    var theirs = new ArrayList<Charge>(charges.size());
    for (var part : parts) {
      if (!which.test(part)) continue;
      some.add(part.sharedAmong(n, theirs.size()));
      for (int i = 0; i < part.counters.size(); i++) {
        theirs.add(charges.get(part.from + i).sharedAmong(n));
      }
    }
    return new Plan(some, theirs);
  }

  /** The same limits at no cost: how they stand, for a request that does not go ahead. */
  public Plan atNoCost() {
    return new Plan(parts, charges.stream().map(Charge::atNoCost).toList());
  }

  /** Whether every enforced rule passes. */
  public boolean allows(List<Outcome> outcomes) {
    for (var part : parts) {
      if (part.isEnforced() && part.retryAfter(outcomes) > 0) return false;
    }
    return true;
  }

  /** Which charges are made, given what their limits said. */
  public boolean[] charged(List<Outcome> outcomes) {
    var charged = new boolean[charges.size()];
    if (!allows(outcomes)) return charged;
    for (var part : parts) {
      if (part.retryAfter(outcomes) > 0) continue;
      var own = part.of(outcomes);
      for (int i = 0; i < own.size(); i++) {
        charged[part.from() + i] = part.rule().combine().charges(i, own);
      }
    }
    return charged;
  }

  /**
   * The one function that stores run, atomically.
   *
   * @param states what is kept for each charge, in their order
   * @return for each charge the state to keep and the outcome to report
   */
  public List<Step> step(List<State> states, long now) {
    var steps = new ArrayList<Step>(charges.size());
    var outcomes = new ArrayList<Outcome>(charges.size());
    for (int i = 0; i < charges.size(); i++) {
      var step = charges.get(i).step(states.get(i), now);
      steps.add(step);
      outcomes.add(step.outcome());
    }
    var charged = charged(outcomes);
    for (int i = 0; i < charges.size(); i++) {
      if (!charged[i] && outcomes.get(i) instanceof Passed) {
        steps.set(i, charges.get(i).untouched(states.get(i), now));
      }
    }
    return steps;
  }
}
