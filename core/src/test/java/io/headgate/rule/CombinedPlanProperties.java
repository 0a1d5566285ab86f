package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Compares a combined plan with the plans of its requests in sequence at the same time. If each of
 * those passes, the remaining permits are equal; otherwise the combined plan changes nothing.
 */
class CombinedPlanProperties {
  private static final List<Combine> COMBINATIONS =
      List.of(
          new Combine.All(), new Combine.Any(), new Combine.Weighted(600), new Combine.Priority());

  /** A single-threaded store. */
  private static final class SequentialStore {
    private final Map<CounterKey, State> states;

    SequentialStore(Map<CounterKey, State> states) {
      this.states = states;
    }

    List<Outcome> decide(Plan plan, long now) {
      var before = new ArrayList<State>();
      for (var charge : plan.charges()) {
        before.add(states.getOrDefault(charge.counterKey(), State.FRESH));
      }
      var outcomes = new ArrayList<Outcome>();
      var steps = plan.step(before, now);
      for (int i = 0; i < steps.size(); i++) {
        states.put(plan.charges().get(i).counterKey(), steps.get(i).state());
        outcomes.add(steps.get(i).outcome());
      }
      return outcomes;
    }
  }

  @Property(tries = 500)
  void combinedPlanEqualsTheSequenceOrChangesNothing(@ForAll long seed) {
    var random = new Random(seed);
    var rules = rules(random);
    var combined = new SequentialStore(new HashMap<>());
    long now = 1_800_000_000_000_000L;
    for (int round = 0; round < 40; round++) {
      now += random.nextInt(3) == 0 ? random.nextLong(5_000_000) : 0;
      var plans = new ArrayList<Plan>();
      int count = 2 + random.nextInt(3);
      for (int i = 0; i < count; i++) plans.add(rules.plan(request(random), 0, round));

      var oneByOne = new SequentialStore(new HashMap<>(combined.states));
      boolean all = true;
      var expected = new ArrayList<Outcome>();
      for (var plan : plans) {
        var outcomes = oneByOne.decide(plan, now);
        all &= plan.allows(outcomes);
        expected.addAll(outcomes);
      }
      var before = new HashMap<>(combined.states);
      var whole = CombinedPlan.of(plans).whole();
      var outcomes = combined.decide(whole, now);

      assertThat(whole.allows(outcomes)).as("round %d", round).isEqualTo(all);
      var reference = new SequentialStore(all ? oneByOne.states : before);
      for (var plan : plans) {
        assertThat(remaining(combined.decide(plan.atZeroCost(), now)))
            .as("round %d, remaining permits", round)
            .isEqualTo(remaining(reference.decide(plan.atZeroCost(), now)));
      }
      if (!all) continue;
      for (int i = 0; i < outcomes.size(); i++) {
        if (outcomes.get(i) instanceof Passed passed) {
          assertThat(passed.remaining()).isEqualTo(expected.get(i).remaining());
        }
      }
    }
  }

  private static List<Long> remaining(List<Outcome> outcomes) {
    return outcomes.stream().map(Outcome::remaining).toList();
  }

  private static Request request(Random random) {
    var subject = Subject.of(Map.of("key", "k" + random.nextInt(2), "tenant", "t"));
    long cost = random.nextInt(6) == 0 ? random.nextLong(4) : 1;
    return new Request(subject, cost, Map.of("bytes", random.nextLong(3)));
  }

  private static RuleSet rules(Random random) {
    var rules = new ArrayList<Rule>();
    for (int i = 0; i < 3; i++) {
      var rule =
          Rule.named("r" + i)
              .per("key")
              .combine(COMBINATIONS.get(random.nextInt(COMBINATIONS.size())));
      if (random.nextInt(4) == 0) rule.mode(Mode.SHADOW);
      rule.match("key", random.nextInt(3) == 0 ? "k1" : "*");
      int limits = 1 + random.nextInt(3);
      for (int j = 0; j < limits; j++) {
        var limit = RuleLimit.of("l" + j, limit(random)).withWeight(1 + random.nextInt(3));
        if (random.nextInt(4) == 0) limit = limit.withCost("bytes");
        rule.limit(random.nextInt(3) == 0 ? limit.withPer("tenant") : limit);
      }
      rules.add(rule.build());
    }
    return RuleSet.of(rules);
  }

  /**
   * Returns a random limit. None has a minimum interval, which two requests at the same time cannot
   * satisfy in sequence.
   */
  private static Limit limit(Random random) {
    long permits = 1L + random.nextInt(8);
    var rate = Rate.of(permits, Duration.ofSeconds(6));
    return switch (random.nextInt(7)) {
      case 0 -> TokenBucket.of(rate);
      case 1 -> LeakyBucket.of(rate);
      case 2 -> LeakyBucket.of(rate).withQueue(permits);
      case 3 -> FixedWindow.of(rate);
      case 4 -> SlidingWindow.of(rate).withBuckets(6).withBound(SlidingWindow.Bound.CONSERVATIVE);
      case 5 -> RollingWindow.of(rate);
      default -> Concurrency.of(permits).withLease(Duration.ofSeconds(8));
    };
  }
}
