package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Compares a plan with evaluating each limit separately and combining the outcomes. */
class PlanProperties {
  private static final long NOW = 1_700_000_000_123_456L;
  private static final int MAX_CHARGES = 16;

  /** An earlier request. */
  record Use(long microsAgo, long cost) {}

  @Property(tries = 1_500, edgeCases = EdgeCasesMode.NONE)
  void everyRulePassesAndIsChargedOrNothingIsCharged(
      @ForAll("rules") List<Rule> rules,
      @ForAll("requests") Request request,
      @ForAll("histories") List<List<Use>> histories) {
    var plan = RuleSet.of(rules).plan(request, 0, 1);
    var states = states(plan, histories);

    var steps = plan.step(states, NOW);

    boolean goesAhead = goesAhead(plan, states, NOW);
    for (var part : plan.parts()) {
      var charged = goesAhead ? charged(part, plan, states) : List.<Integer>of();
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var charge = plan.charges().get(i);
        var own = step(charge, states.get(i), NOW);
        var untouched = charge.limit().step(states.get(i), NOW, 0);
        boolean passes = own.outcome() instanceof Passed;
        assertSameBehaviour(
            charge.limit(),
            steps.get(i).state(),
            charged.contains(i) ? own.state() : states.get(i));
        assertThat(steps.get(i).outcome())
            .isEqualTo(passes && !charged.contains(i) ? untouched.outcome() : own.outcome());
      }
    }
  }

  @Property(tries = 1_500, edgeCases = EdgeCasesMode.NONE)
  void outcomesDetermineTheDecision(
      @ForAll("rules") List<Rule> rules,
      @ForAll("requests") Request request,
      @ForAll("histories") List<List<Use>> histories) {
    var plan = RuleSet.of(rules).plan(request, 0, 1);
    var states = states(plan, histories);
    var reported = plan.step(states, NOW).stream().map(Step::outcome).toList();
    assertThat(plan.allows(reported)).isEqualTo(goesAhead(plan, states, NOW));
  }

  @Property(tries = 2_000, edgeCases = EdgeCasesMode.NONE)
  void retryTimeIsExactAndNeverIsFinal(
      @ForAll("rules") List<Rule> rules,
      @ForAll("requests") Request request,
      @ForAll("histories") List<List<Use>> histories) {
    var plan = RuleSet.of(rules).plan(request, 0, 1);
    var states = states(plan, histories);
    Assume.that(!goesAhead(plan, states, NOW));

    long retryAfter = retryAfter(plan, states);

    if (retryAfter == Combine.NEVER) {
      var fresh = Collections.<State>nCopies(plan.charges().size(), State.FRESH);
      assertThat(goesAhead(plan, fresh, NOW)).as("with nothing used at all").isFalse();
    } else {
      assertThat(goesAhead(plan, states, NOW + retryAfter - 1)).as("just before").isFalse();
      assertThat(goesAhead(plan, states, NOW + retryAfter)).as("at it").isTrue();
    }
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void costOfZeroAlwaysPassesAndChangesNothing(
      @ForAll("rules") List<Rule> rules, @ForAll("histories") List<List<Use>> histories) {
    var plan = RuleSet.of(rules).plan(Request.of(Subject.of("x"), 0), 0, 1);
    var states = states(plan, histories);

    var steps = plan.step(states, NOW);

    assertThat(plan.allows(steps.stream().map(Step::outcome).toList())).isTrue();
    for (int i = 0; i < steps.size(); i++) {
      assertSameBehaviour(plan.charges().get(i).limit(), steps.get(i).state(), states.get(i));
    }
  }

  private static long retryAfter(Plan plan, List<State> states) {
    var outcomes = plan.step(states, NOW).stream().map(Step::outcome).toList();
    return plan.parts().stream()
        .filter(Plan.Part::isEnforced)
        .mapToLong(part -> part.retryAfter(outcomes))
        .max()
        .orElse(0);
  }

  private static boolean goesAhead(Plan plan, List<State> states, long now) {
    return plan.parts().stream()
        .filter(part -> part.rule().mode() == Mode.ENFORCE)
        .allMatch(part -> passes(part, plan, states, now));
  }

  private static boolean passes(Plan.Part part, Plan plan, List<State> states, long now) {
    double all = 0;
    double passing = 0;
    for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
      var charge = plan.charges().get(i);
      long weight =
          part.rule().combine() instanceof Combine.Weighted ? charge.counter().weight() : 1;
      all += weight;
      if (step(charge, states.get(i), now).outcome() instanceof Passed) passing += weight;
    }
    return switch (part.rule().combine()) {
      case Combine.All c -> passing == all;
      case Combine.Hierarchical c -> passing == all;
      case Combine.Priority c -> passing == all;
      case Combine.Any c -> passing > 0;
      case Combine.Weighted(int permille) -> passing / all >= permille / 1000.0;
    };
  }

  /** Returns the charges of a rule that are applied if the request is allowed. */
  private static List<Integer> charged(Plan.Part part, Plan plan, List<State> states) {
    var charged = new ArrayList<Integer>();
    if (!passes(part, plan, states, NOW)) return charged;
    for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
      boolean enough = part.rule().combine() instanceof Combine.Any && !charged.isEmpty();
      boolean passes = step(plan.charges().get(i), states.get(i), NOW).outcome() instanceof Passed;
      if (passes && !enough) charged.add(i);
    }
    return charged;
  }

  private static Step step(Charge charge, State state, long now) {
    return charge.limit().step(state, now, charge.cost());
  }

  /** Asserts that two states give the same outcomes now and later. */
  private static void assertSameBehaviour(Limit limit, State one, State other) {
    for (long later : new long[] {0, 1, 400_000, 2_500_000, 11_000_000}) {
      for (long cost = 0; cost <= 3; cost++) {
        assertThat(limit.step(one, NOW + later, cost).outcome())
            .as("%s, %d µs later, at a cost of %d", limit, later, cost)
            .isEqualTo(limit.step(other, NOW + later, cost).outcome());
      }
    }
  }

  private static List<State> states(Plan plan, List<List<Use>> histories) {
    var states = new ArrayList<State>();
    for (int i = 0; i < plan.charges().size(); i++) {
      State state = State.FRESH;
      for (var use : histories.get(i)) {
        state = plan.charges().get(i).limit().step(state, NOW - use.microsAgo, use.cost).state();
      }
      states.add(state);
    }
    return states;
  }

  @Provide
  Arbitrary<List<Rule>> rules() {
    return RandomRules.rules();
  }

  @Provide
  Arbitrary<Request> requests() {
    return RandomRules.requests();
  }

  @Provide
  Arbitrary<List<List<Use>>> histories() {
    return Combinators.combine(
            Arbitraries.longs().between(0, 12_000_000), Arbitraries.longs().between(1, 3))
        .as(Use::new)
        .list()
        .ofMaxSize(6)
        .map(uses ->
            uses.stream().sorted(Comparator.comparingLong(Use::microsAgo).reversed()).toList())
        .list()
        .ofSize(MAX_CHARGES);
  }
}
