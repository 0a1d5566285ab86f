package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import io.headgate.limit.TokenBucket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlanTest {
  @Test
  void deniedRequestChargesNoRule() {
    var rules =
        RuleSet.of(
            Rule.named("wide").limit(perHour(5)).build(),
            Rule.named("narrow").limit(perHour(2)).build());
    assertThat(play(rules, 1, 1, 1, 1)).containsExactly("4 1", "3 0", "3 0!", "3 0!");
  }

  @Test
  void allChargesEveryLimit() {
    assertThat(play(rule(new Combine.All(), perHour(3), perHour(2)), 1, 1, 1))
        .containsExactly("2 1", "1 0", "1 0!");
  }

  @Test
  void anyChargesTheFirstLimitThatPasses() {
    assertThat(play(rule(new Combine.Any(), perHour(2), perHour(1)), 1, 1, 1, 1))
        .containsExactly("1 1", "0 1", "0! 0", "0! 0!");
  }

  @Test
  void anySkipsLimitsTooSmallForTheCost() {
    assertThat(play(rule(new Combine.Any(), perHour(2), perHour(5)), 3, 2))
        .containsExactly("2! 2", "0 2");
  }

  @Test
  void weightedAllowsWhileEnoughWeightPasses() {
    var rules =
        RuleSet.of(
            Rule.named("r")
                .combine(new Combine.Weighted(600))
                .limit(RuleLimit.of("a", perHour(1)).withWeight(2))
                .limit(RuleLimit.of("b", perHour(2)).withWeight(1))
                .limit(RuleLimit.of("c", perHour(9)).withWeight(3))
                .build());
    // weight 6 of 6; then b and c, 4 of 6 (66%); then c alone, 3 of 6 (50%)
    assertThat(play(rules, 1, 1, 1)).containsExactly("0 1 8", "0! 0 7", "0! 0! 7");
  }

  @Test
  void weightEqualToTheThresholdIsEnough() {
    var rules =
        RuleSet.of(
            Rule.named("r")
                .combine(new Combine.Weighted(500))
                .limit(RuleLimit.of("a", perHour(1)))
                .limit(RuleLimit.of("b", perHour(3)))
                .build());
    assertThat(play(rules, 1, 1)).containsExactly("0 2", "0! 1");
  }

  @Test
  void hierarchicalEvaluatesTheNarrowestScopeFirst() {
    var rules =
        RuleSet.of(
            Rule.named("r")
                .combine(new Combine.Hierarchical())
                .limit(RuleLimit.of("unscoped", perHour(1)))
                .limit(RuleLimit.of("global", perHour(1)).withScope(RuleLimit.Scope.GLOBAL))
                .limit(RuleLimit.of("tenant", perHour(1)).withScope(RuleLimit.Scope.TENANT))
                .limit(RuleLimit.of("user", perHour(1)).withScope(RuleLimit.Scope.USER))
                .limit(RuleLimit.of("region", perHour(1)).withScope(RuleLimit.Scope.REGION))
                .limit(RuleLimit.of("group", perHour(1)).withScope(RuleLimit.Scope.GROUP))
                .build());
    assertThat(names(rules))
        .containsExactly("user", "group", "tenant", "region", "unscoped", "global");
  }

  @Test
  void priorityEvaluatesTheHighestFirstAndIsStable() {
    var rules =
        RuleSet.of(
            Rule.named("r")
                .combine(new Combine.Priority())
                .limit(RuleLimit.of("low", perHour(1)).withPriority(-5))
                .limit(RuleLimit.of("plain", perHour(1)))
                .limit(RuleLimit.of("high", perHour(1)).withPriority(10))
                .limit(RuleLimit.of("plain-too", perHour(1)))
                .build());
    assertThat(names(rules)).containsExactly("high", "plain", "plain-too", "low");
  }

  @Test
  void shadowRuleCountsButNeverDenies() {
    var rules =
        RuleSet.of(
            Rule.named("shadow").mode(Mode.SHADOW).limit(perHour(1)).build(),
            Rule.named("real").limit(perHour(3)).build());
    assertThat(play(rules, 1, 1, 1, 1)).containsExactly("0 2", "0! 1", "0! 0", "0! 0!");
  }

  @Test
  void shadowRuleDoesNotCountDeniedRequests() {
    var rules =
        RuleSet.of(
            Rule.named("shadow").mode(Mode.SHADOW).limit(perHour(5)).build(),
            Rule.named("real").limit(perHour(1)).build());
    assertThat(play(rules, 1, 1, 1)).containsExactly("4 0", "4 0!", "4 0!");
  }

  @Test
  void shadowRuleThatWouldDenyIsNotCharged() {
    var rules =
        RuleSet.of(
            Rule.named("shadow")
                .mode(Mode.SHADOW)
                .limit(RuleLimit.of("a", perHour(1)))
                .limit(RuleLimit.of("b", perHour(5)))
                .build(),
            Rule.named("real").limit(perHour(9)).build());
    assertThat(play(rules, 1, 1)).containsExactly("0 4 8", "0! 4 7");
  }

  @Test
  void namedCostsAreChargedToTheirLimits() {
    var rules =
        RuleSet.of(
            Rule.named("r")
                .limit(RuleLimit.of("calls", perHour(10)))
                .limit(RuleLimit.of("bytes", perHour(100)).withCost("bytes"))
                .build());
    var plan = rules.plan(new Request(Subject.of("x"), 1, Map.of("bytes", 60L)), 0, 0);
    var first = plan.step(fresh(plan), 0);
    assertThat(show(first)).isEqualTo("9 40");
    assertThat(show(plan.step(first.stream().map(Step::state).toList(), 0))).isEqualTo("9 40!");
  }

  @Test
  void deniedRequestHoldsNoSlot() {
    var rules =
        RuleSet.of(
            Rule.named("slots").limit(Concurrency.of(2)).build(),
            Rule.named("calls").limit(perHour(1)).build());
    assertThat(play(rules, 1, 1, 1)).containsExactly("1 0", "1 0!", "1 0!");
  }

  @Test
  void planWithoutLimitsAllows() {
    var plan = RuleSet.of().plan(Request.of(Subject.of("x")), 0, 0);
    assertThat(plan.step(List.of(), 0)).isEmpty();
    assertThat(plan.allows(List.of())).isTrue();
  }

  private static Limit perHour(long permits) {
    return permits % 2 == 0
        ? TokenBucket.of(Rate.perHour(permits))
        : FixedWindow.of(Rate.perHour(permits));
  }

  private static RuleSet rule(Combine combine, Limit one, Limit other) {
    return RuleSet.of(
        Rule.named("r")
            .combine(combine)
            .limit(RuleLimit.of("one", one))
            .limit(RuleLimit.of("other", other))
            .build());
  }

  private static List<String> names(RuleSet rules) {
    var plan = rules.plan(Request.of(Subject.of("x")), 0, 0);
    return plan.charges().stream().map(charge -> charge.counter().name()).toList();
  }

  /** Returns a line per request: the remaining permits of each limit, with a ! if it refused. */
  private static List<String> play(RuleSet rules, long... costs) {
    var lines = new ArrayList<String>();
    List<State> states = List.of();
    for (long cost : costs) {
      var plan = rules.plan(Request.of(Subject.of("x"), cost), 0, lines.size() + 1);
      if (lines.isEmpty()) states = fresh(plan);
      var steps = plan.step(states, 0);
      states = steps.stream().map(Step::state).toList();
      lines.add(show(steps));
    }
    return lines;
  }

  private static List<State> fresh(Plan plan) {
    return Collections.nCopies(plan.charges().size(), State.FRESH);
  }

  private static String show(List<Step> steps) {
    var words =
        steps.stream()
            .map(Step::outcome)
            .map(outcome -> outcome.remaining() + (outcome instanceof Passed ? "" : "!"));
    return String.join(" ", words.toList());
  }
}
