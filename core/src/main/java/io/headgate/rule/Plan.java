package io.headgate.rule;

import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All limits of all rules that apply to one request (or several, see {@link CombinedPlan}), as one
 * pure function: either every rule that is enforced passes and is charged, or nothing is charged at
 * all.
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

    /** The same part with other limits of the same names. */
    Part with(List<Counter> others) {
      return new Part(rule, override, others, from);
    }

    Part dividedBy(int n, int from) {
      if (n == 1) return at(from);
      var shares = counters.stream().map(counter -> counter.dividedBy(n)).toList();
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

    /** Says which of its charges are made, given that it passes. */
    private void mark(boolean[] charged, List<Outcome> all) {
      var own = of(all);
      for (int i = 0; i < own.size(); i++) charged[from + i] = rule.combine().charges(i, own);
    }

    /** The charge whose limit says what remains; see {@link Combine#tightest}. */
    public int tightest(List<Outcome> all) {
      return counters.size() == 1 ? from : from + rule.combine().tightest(of(all), counters);
    }
  }

  static final Plan NOTHING = new Plan(List.of(), List.of());

  private static final int NONE = -1;
  private static final int[] ALL_DIFFERENT = {};

  private final List<Part> parts;
  private final List<Charge> charges;
  private final @Nullable Charge single; // instead of the list

  /** For each charge the last one before it of the same counter and key; only of joint plans. */
  private final int[] before;

  Plan(List<Part> parts, List<Charge> charges) {
    this(parts, charges, false);
  }

  /**
   * @param joint whether it is made of several requests, so that two charges may be of one state
   */
  Plan(List<Part> parts, List<Charge> charges, boolean joint) {
    this.parts = parts;
    this.charges = charges;
    this.single = charges.size() == 1 ? charges.getFirst() : null;
    this.before = joint ? before(charges) : ALL_DIFFERENT;
  }

  /** One limit of one rule: most plans are that, and need no list for it. */
  Plan(List<Part> part, Charge single) {
    this.parts = part;
    this.charges = List.of();
    this.single = single;
    this.before = ALL_DIFFERENT;
  }

  private static int[] before(List<Charge> charges) {
    var last = new HashMap<CounterKey, Integer>();
    var before = new int[charges.size()];
    boolean different = true;
    for (int i = 0; i < before.length; i++) {
      var earlier = last.put(charges.get(i).place(), i);
      before[i] = earlier == null ? NONE : earlier;
      different &= earlier == null;
    }
    return different ? ALL_DIFFERENT : before;
  }

  public List<Part> parts() {
    return parts;
  }

  public List<Charge> charges() {
    return single == null ? charges : List.of(single);
  }

  /** The charge of a plan that has but one; otherwise null. */
  public @Nullable Charge single() {
    return single;
  }

  /** Whether one limit of a rule that is enforced is all there is to it. */
  public boolean isPlain() {
    return single != null && parts.getFirst().isEnforced();
  }

  /**
   * Some of the rules, as one of {@code n} instances holds requests against them by itself: each
   * limit is its share, see {@link Limit#dividedBy}.
   */
  public Plan dividedBy(int n, Predicate<Part> which) {
    var some = new ArrayList<Part>(parts.size());
    var theirs = new ArrayList<Charge>(charges().size());
    for (var part : parts) {
      if (!which.test(part)) continue;
      some.add(part.dividedBy(n, theirs.size()));
      for (int i = 0; i < part.counters.size(); i++) {
        theirs.add(charges().get(part.from + i).dividedBy(n));
      }
    }
    return new Plan(some, theirs, isJoint());
  }

  /** Some of the rules, as they are. */
  public Plan only(Predicate<Part> which) {
    return dividedBy(1, which);
  }

  /** The same limits at no cost: how they stand, for a request that does not go ahead. */
  public Plan atNoCost() {
    return new Plan(parts, charges().stream().map(Charge::atNoCost).toList(), isJoint());
  }

  /**
   * The charge with what those before it, of the same counter and key, come to: what is asked of
   * the limit.
   *
   * @param made which of the charges before it are made
   */
  public Charge addedUp(int index, IntPredicate made) {
    if (!isJoint()) return charges().get(index);
    long spent = 0;
    for (int i = before[index]; i != NONE; i = before[i]) {
      if (made.test(i)) spent += charges().get(i).cost();
    }
    return charges().get(index).plus(spent);
  }

  /** Whether two of its charges are of one state. */
  public boolean isJoint() {
    return before.length > 0;
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
    return allows(outcomes) ? passing(outcomes) : new boolean[charges().size()];
  }

  /** Which charges are made as far as their own rules go. */
  public boolean[] passing(List<Outcome> outcomes) {
    var passing = new boolean[charges().size()];
    for (var part : parts) {
      if (part.retryAfter(outcomes) == 0) part.mark(passing, outcomes);
    }
    return passing;
  }

  /**
   * The one function that stores run, atomically.
   *
   * <p>Where several charges are of one state, each is asked together with those before it that are
   * made, and the last of them has the state to keep.
   *
   * @param states what is kept for each charge, in their order
   * @return for each charge the state to keep and the outcome to report
   */
  public List<Step> step(List<State> states, long now) {
    var steps = new ArrayList<Step>(charges().size());
    var outcomes = new ArrayList<Outcome>(charges().size());
    var charged = new boolean[charges().size()];
    boolean allowed = true;
    for (var part : parts) {
      for (int i = part.from; i < part.from + part.counters.size(); i++) {
        var step = addedUp(i, j -> charged[j]).step(states.get(i), now);
        steps.add(step);
        outcomes.add(step.outcome());
      }
      boolean passes = part.retryAfter(outcomes) == 0;
      if (passes) part.mark(charged, outcomes);
      else allowed &= !part.isEnforced();
    }
    boolean[] made = allowed ? charged : new boolean[charged.length];
    for (int i = 0; i < made.length; i++) {
      if (made[i]) continue;
      if (outcomes.get(i) instanceof Passed) {
        steps.set(i, spentBefore(i, made).step(states.get(i), now));
      }
      if (isJoint() && before[i] != NONE) {
        steps.set(i, new Step(steps.get(before[i]).state(), steps.get(i).outcome()));
      }
    }
    return steps;
  }

  /** How things stand for a charge that is not made. */
  private Charge spentBefore(int index, boolean[] made) {
    var own = charges().get(index);
    return own.atNoCost().plus(addedUp(index, i -> made[i]).cost() - own.cost());
  }
}
