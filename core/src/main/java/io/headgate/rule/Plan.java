package io.headgate.rule;

import io.headgate.limit.Deny;
import io.headgate.limit.FairShare;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All counters that one request must pass (or several requests, see {@link CombinedPlan}), with
 * their evaluation as one pure function: either every enforced rule passes and is charged, or
 * nothing is charged.
 *
 * <p>A shadow rule is charged as if it were enforced, but only for requests that are allowed. Its
 * refusals are reported and have no other effect. Immutable.
 */
public final class Plan {
  /**
   * The part of one rule in a plan.
   *
   * @param rule the rule
   * @param override the index of the override that applies; -1 for none
   * @param counters the counters of the rule or the override, in the order of evaluation; none if
   *     it is exempt, unlimited or denies every request
   * @param from the index of the first of their charges in the plan
   * @param deniesFor the microseconds for which the rule denies every request, at most {@link
   *     Deny#ENDLESS}; 0 if it does not
   * @param shedding names the drop level that applies to the request if the rule sheds load;
   *     otherwise null
   */
  public record Part(
      Rule rule,
      int override,
      List<Counter> counters,
      int from,
      long deniesFor,
      @Nullable Counter shedding) {
    /** Creates a part that denies by its counters only. */
    public Part(Rule rule, int override, List<Counter> counters, int from) {
      this(rule, override, counters, from, 0, null);
    }

    /** Returns this part with its charges starting at {@code from}. */
    Part at(int from) {
      return from == this.from
          ? this
          : new Part(rule, override, counters, from, deniesFor, shedding);
    }

    /** Returns this part with other counters of the same names. */
    Part with(List<Counter> others) {
      return new Part(rule, override, others, from, deniesFor, shedding);
    }

    /** Returns this part with the time for which it denies. */
    Part denyingFor(long micros) {
      return new Part(rule, override, counters, from, micros, shedding);
    }

    Part dividedBy(int n, int from) {
      if (n == 1) return at(from);
      var shares = counters.stream().map(counter -> counter.dividedBy(n)).toList();
      return new Part(rule, override, shares, from, deniesFor, shedding);
    }

    /** Returns whether the rule can deny. */
    public boolean isEnforced() {
      return rule.mode() == Mode.ENFORCE;
    }

    List<Outcome> of(List<Outcome> all) {
      return counters.size() == all.size() ? all : all.subList(from, from + counters.size());
    }

    /**
     * Returns whether the rule denies the request without a counter: it denies every request, or
     * drops this one to shed load.
     */
    public boolean denies() {
      return deniesFor > 0;
    }

    /** Returns whether the rule passes every request, since it is exempt or unlimited. */
    public boolean isUnlimited() {
      return counters.isEmpty() && deniesFor == 0 && shedding == null;
    }

    /**
     * Returns the limit of a rule that {@linkplain #denies denies} without a counter, for reports.
     * No store has a state of it.
     */
    public Counter denial() {
      return shedding == null ? new Counter(rule, RuleLimit.of(rule.id(), new Deny())) : shedding;
    }

    /**
     * Returns the retry time of this rule: {@code deniesFor}, or that of its counters; see {@link
     * Combine#retryAfter}.
     */
    public long retryAfter(List<Outcome> all) {
      return counters.isEmpty() ? deniesFor : rule.combine().retryAfter(of(all), counters);
    }

    /** Marks the charges that are applied, given that the rule passes. */
    private void mark(boolean[] charged, List<Outcome> all) {
      var own = of(all);
      for (int i = 0; i < own.size(); i++) charged[from + i] = rule.combine().charges(i, own);
    }

    /** Returns the index of the charge that determines the remaining permits of the rule. */
    public int tightest(List<Outcome> all) {
      return counters.size() == 1 ? from : from + rule.combine().tightest(of(all), counters);
    }
  }

  private static final int NONE = -1;
  private static final int[] NO_SHARED_COUNTERS = {};

  /** The plan of a request to which no rule applies. Declared after the constants that it has. */
  static final Plan NOTHING = new Plan(List.of(), List.of());

  private final List<Part> parts;
  private final List<Charge> charges;
  private final @Nullable Charge single; // used instead of the list if there is one charge

  /** For each charge the previous one of the same counter and key; only for combined plans. */
  private final int[] before;

  /** Whether there is one part, whose rule is enforced, with one charge. */
  private final boolean singleEnforcedLimit;

  Plan(List<Part> parts, List<Charge> charges) {
    this(parts, charges, false);
  }

  /**
   * Creates a plan.
   *
   * @param joint whether it combines several requests, so that two charges may share a state
   */
  Plan(List<Part> parts, List<Charge> charges, boolean joint) {
    this.parts = parts;
    this.charges = charges;
    this.single = charges.size() == 1 ? charges.getFirst() : null;
    this.before = joint ? before(charges) : NO_SHARED_COUNTERS;
    this.singleEnforcedLimit = single != null && parts.size() == 1 && parts.getFirst().isEnforced();
  }

  /** Creates a plan of one limit of one rule, which is the most frequent case, without a list. */
  Plan(List<Part> parts, Charge single) {
    this(parts, single, parts.size() == 1 && parts.getFirst().isEnforced());
  }

  /** Creates a plan of one limit, for callers that know whether its rule is alone and enforced. */
  Plan(List<Part> parts, Charge single, boolean singleEnforcedLimit) {
    this.parts = parts;
    this.charges = List.of();
    this.single = single;
    this.before = NO_SHARED_COUNTERS;
    this.singleEnforcedLimit = singleEnforcedLimit;
  }

  /**
   * Creates a plan of parts that belong to no rule set, for stores that receive plans from other
   * processes. Two charges may have the same counter and key.
   */
  public static Plan ofParts(List<Part> parts, List<Charge> charges) {
    return new Plan(parts, charges, true);
  }

  private static int[] before(List<Charge> charges) {
    var last = new HashMap<CounterKey, Integer>();
    var before = new int[charges.size()];
    boolean different = true;
    for (int i = 0; i < before.length; i++) {
      var earlier = last.put(charges.get(i).counterKey(), i);
      before[i] = earlier == null ? NONE : earlier;
      different &= earlier == null;
    }
    return different ? NO_SHARED_COUNTERS : before;
  }

  /**
   * Returns one part for each rule, in the order of the rules. A rule that excuses from all others
   * or that denies every request is the only part.
   */
  public List<Part> parts() {
    return parts;
  }

  /** Returns all charges, in the order of the parts. */
  public List<Charge> charges() {
    return single == null ? charges : List.of(single);
  }

  /** Returns the charge of a plan that has exactly one; otherwise null. */
  public @Nullable Charge single() {
    return single;
  }

  /** Returns whether the plan consists of one limit of one enforced rule. */
  public boolean isSingleEnforcedLimit() {
    return singleEnforcedLimit;
  }

  /** Returns whether there is nothing to charge, so that no store is needed. */
  public boolean hasNoCharges() {
    return single == null && charges.isEmpty();
  }

  /** Returns whether an enforced rule denies every request. */
  public boolean isDenied() {
    for (var part : parts) {
      if (part.denies() && part.isEnforced()) return true;
    }
    return false;
  }

  /** Returns whether an enforced rule drops the request to shed load. */
  public boolean isShed() {
    for (var part : parts) {
      if (part.shedding != null && part.denies() && part.isEnforced()) return true;
    }
    return false;
  }

  /** Returns whether an enforced rule excuses the subject from all other rules. */
  public boolean isExempt() {
    return parts.size() == 1 && parts.getFirst().rule.exempt() && parts.getFirst().isEnforced();
  }

  /**
   * Returns this plan if the request has every cost that an enforced rule requires.
   *
   * @throws InvalidCostException if one is missing
   */
  public Plan requireCosts(Request request) {
    for (var part : parts) {
      if (!part.isEnforced()) continue;
      for (var counter : part.counters) {
        if (!counter.isCostRequired() || counter.cost().isEmpty()) continue;
        String name = counter.cost().get();
        if (request.costs().containsKey(name)) continue;
        throw new InvalidCostException(
            name,
            "is missing: limit '%s' requires the cost %s, and the request has %s; send %s, or 0 if there is none"
                .formatted(
                    counter.policy(),
                    name,
                    request.costs().isEmpty() ? "no named costs" : "only others",
                    name));
      }
    }
    return this;
  }

  /**
   * Returns the plan for a store: the parts with counters. Parts without counters don't affect the
   * outcome of the others, so the store's outcomes are those of this plan.
   */
  public Plan stored() {
    if (singleEnforcedLimit) return this;
    for (var part : parts) {
      if (part.counters.isEmpty()) return filter(any -> !any.counters.isEmpty());
    }
    return this;
  }

  /**
   * Returns the plan of a request that a rule drops to shed load. An enforced rule then decides
   * alone, and nothing is charged. A shadow rule is reported only.
   *
   * @param index the index of the rule's part
   * @param micros the time after which the request may pass
   */
  public Plan dropped(int index, long micros) {
    var part = parts.get(index).denyingFor(micros);
    if (part.isEnforced()) return new Plan(List.of(part.at(0)), List.of());
    var all = new ArrayList<>(parts);
    all.set(index, part);
    return single == null ? new Plan(all, charges, isJoint()) : new Plan(all, single);
  }

  /**
   * Returns the plan with the present rates of limits that follow a signal.
   *
   * @param tuned returns the counter with the present limit for a charge whose limit is tuned
   */
  public Plan tuned(Function<Charge, Counter> tuned) {
    boolean changes = false;
    var all = new ArrayList<Charge>(charges().size());
    for (var charge : charges()) {
      boolean follows = charge.counter().tuning().isPresent();
      changes |= follows;
      all.add(follows ? charge.withCounter(tuned.apply(charge)) : charge);
    }
    return changes ? withCharges(all) : this;
  }

  /**
   * Returns the plan with other costs.
   *
   * @param costs the cost of each charge, in the order of the charges
   */
  public Plan withCosts(long[] costs) {
    var all = new ArrayList<Charge>(costs.length);
    for (int i = 0; i < costs.length; i++) all.add(charges().get(i).withCost(costs[i]));
    return withCharges(all);
  }

  /** Returns the plan with other limits of the same counters. */
  Plan withCharges(List<Charge> others) {
    var changed = new ArrayList<Part>(parts.size());
    for (var part : parts) {
      var own = others.subList(part.from, part.from + part.counters.size());
      changed.add(part.with(own.stream().map(Charge::counter).toList()));
    }
    return others.size() == 1
        ? new Plan(changed, others.getFirst())
        : new Plan(changed, others, isJoint());
  }

  /** Returns the plan without its charges: the same rules, of which only denials remain. */
  Plan withoutCharges() {
    var empty = new ArrayList<Part>(parts.size());
    for (var part : parts) empty.add(part.with(List.of()).at(0));
    return new Plan(empty, List.of());
  }

  /**
   * Returns the plan of some of the rules, with the limits of one of {@code n} instances; see
   * {@link Limit#dividedBy}.
   */
  public Plan dividedBy(int n, Predicate<Part> which) {
    var some = new ArrayList<Part>(parts.size());
    var kept = new ArrayList<Charge>(charges().size());
    for (var part : parts) {
      if (!which.test(part)) continue;
      some.add(part.dividedBy(n, kept.size()));
      for (int i = 0; i < part.counters.size(); i++) {
        kept.add(charges().get(part.from + i).dividedBy(n));
      }
    }
    return new Plan(some, kept, isJoint());
  }

  /** Returns the plan of some of the rules. */
  public Plan filter(Predicate<Part> which) {
    return dividedBy(1, which);
  }

  /** Returns the same plan with a cost of 0, which reads the state of the limits. */
  public Plan atZeroCost() {
    return new Plan(parts, charges().stream().map(Charge::atZeroCost).toList(), isJoint());
  }

  /**
   * Returns a charge with the cost of the earlier charges to the same counter and key added. This
   * is the charge to evaluate against the stored state.
   *
   * @param applied which of the earlier charges are applied
   */
  public Charge cumulativeCharge(int index, IntPredicate applied) {
    if (!isJoint()) return charges().get(index);
    var own = charges().get(index);
    long spent = 0;
    for (int i = before[index]; i != NONE; i = before[i]) {
      if (applied.test(i) && charges().get(i).hasShareOf(own)) spent += charges().get(i).cost();
    }
    return own.plus(spent);
  }

  /**
   * Returns charges whose evaluation, one after the other, ends with the outcome of the charge at
   * {@code index}: {@link #cumulativeCharge} alone or, for tenants that share a limit fairly, the
   * earlier charges of the same counter and key and then the charge itself.
   *
   * @param applied which of the earlier charges are applied
   */
  public List<Charge> chargesUpTo(int index, IntPredicate applied) {
    if (!isSequential(index)) return List.of(cumulativeCharge(index, applied));
    var sequence = new ArrayList<Charge>();
    sequence.add(charges().get(index));
    for (int i = before[index]; i != NONE; i = before[i]) {
      if (applied.test(i)) sequence.addFirst(charges().get(i));
    }
    return sequence;
  }

  /** Returns whether two of the charges share a state. */
  public boolean isJoint() {
    return before.length > 0;
  }

  /** Returns whether every enforced rule passes. */
  public boolean allows(List<Outcome> outcomes) {
    for (var part : parts) {
      if (part.isEnforced() && part.retryAfter(outcomes) > 0) return false;
    }
    return true;
  }

  /** Returns which charges are applied, given the outcomes of their limits. */
  public boolean[] charged(List<Outcome> outcomes) {
    return allows(outcomes) ? passing(outcomes) : new boolean[charges().size()];
  }

  /** Returns which charges their own rules would apply, whether or not other rules deny. */
  public boolean[] passing(List<Outcome> outcomes) {
    var passing = new boolean[charges().size()];
    for (var part : parts) {
      if (part.retryAfter(outcomes) == 0) part.mark(passing, outcomes);
    }
    return passing;
  }

  /**
   * Returns whether all charges are applied, each by itself, if the limits of all of them pass. A
   * store may then evaluate the limits without {@link #step}, and needs it only if one refuses.
   */
  public boolean chargesAllIfAllPass() {
    if (isJoint()) return false;
    for (int i = 0; i < parts.size(); i++) {
      var part = parts.get(i);
      if (part.denies()) return false;
      if (part.counters.size() > 1 && part.rule.combine() instanceof Combine.Any) return false;
    }
    return true;
  }

  /**
   * Evaluates the plan. A store calls this function atomically.
   *
   * <p>If several charges share a state, each is evaluated together with the earlier ones that are
   * applied, and the last of them has the state to store.
   *
   * @param states the stored state for each charge, in the order of the charges
   * @param now microseconds since the epoch
   * @return for each charge the state to store and the outcome
   */
  public List<Step> step(List<State> states, long now) {
    return isJoint() ? stepJointly(states, now) : stepSeparately(states, now);
  }

  /** Evaluates charges of which no two share a state. */
  private List<Step> stepSeparately(List<State> states, long now) {
    var all = charges();
    var steps = new Step[all.size()];
    var outcomes = new Outcome[steps.length];
    for (int i = 0; i < steps.length; i++) {
      steps[i] = all.get(i).step(states.get(i), now);
      outcomes[i] = steps[i].outcome();
    }
    var outcomeList = Arrays.asList(outcomes);
    boolean passes = true;
    boolean allowed = true;
    for (var part : parts) {
      if (part.retryAfter(outcomeList) == 0) {
        passes &= part.rule.combine().chargesAll(part.of(outcomeList));
      } else {
        passes = false;
        allowed &= !part.isEnforced();
      }
    }
    if (passes) return Arrays.asList(steps); // every charge is applied
    boolean[] applied = allowed ? passing(outcomeList) : new boolean[steps.length];
    for (int i = 0; i < steps.length; i++) {
      if (!applied[i] && outcomes[i] instanceof Passed) {
        steps[i] = all.get(i).atZeroCost().step(states.get(i), now);
      }
    }
    return Arrays.asList(steps);
  }

  private List<Step> stepJointly(List<State> states, long now) {
    var steps = new ArrayList<Step>(charges().size());
    var outcomes = new ArrayList<Outcome>(charges().size());
    var charged = new boolean[charges().size()];
    boolean allowed = true;
    for (var part : parts) {
      for (int i = part.from; i < part.from + part.counters.size(); i++) {
        var step =
            isSequential(i)
                ? charges().get(i).step(stateBefore(i, charged, steps, states), now)
                : cumulativeCharge(i, j -> charged[j]).step(states.get(i), now);
        steps.add(step);
        outcomes.add(step.outcome());
      }
      boolean passes = part.retryAfter(outcomes) == 0;
      if (passes) part.mark(charged, outcomes);
      else allowed &= !part.isEnforced();
    }
    boolean[] applied = allowed ? charged : new boolean[charged.length];
    for (int i = 0; i < applied.length; i++) {
      if (applied[i]) continue;
      if (isSequential(i)) {
        var charge = charges().get(i).atZeroCost();
        var look = charge.step(stateBefore(i, applied, steps, states), now);
        var outcome = outcomes.get(i) instanceof Passed ? look.outcome() : outcomes.get(i);
        steps.set(i, new Step(look.state(), outcome));
        continue;
      }
      if (outcomes.get(i) instanceof Passed) {
        steps.set(i, spentBefore(i, applied).step(states.get(i), now));
      }
      if (isJoint() && before[i] != NONE) {
        steps.set(i, new Step(steps.get(before[i]).state(), steps.get(i).outcome()));
      }
    }
    return steps;
  }

  /**
   * Returns whether the charge shares a state with another, and its limit is shared fairly. The
   * costs of two tenants can't be added up, so each charge is evaluated on the state after the
   * earlier ones.
   */
  private boolean isSequential(int index) {
    if (!isJoint() || !(charges().get(index).limit() instanceof FairShare)) return false;
    if (before[index] != NONE) return true;
    for (int earlier : before) {
      if (earlier == index) return true;
    }
    return false;
  }

  private State stateBefore(int index, boolean[] applied, List<Step> steps, List<State> states) {
    for (int i = before[index]; i != NONE; i = before[i]) {
      if (applied[i]) return steps.get(i).state();
    }
    return states.get(index);
  }

  /** Returns a charge that is not applied with the cost of the earlier applied ones only. */
  private Charge spentBefore(int index, boolean[] applied) {
    var own = charges().get(index);
    return own.atZeroCost().plus(cumulativeCharge(index, i -> applied[i]).cost() - own.cost());
  }
}
