package io.headgate.store;

import static io.headgate.internal.outage.TestPlans.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome;
import io.headgate.limit.State;
import io.headgate.rule.RandomRules;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Compares plans of several limits in the memory store with states in a map. */
class MemoryPlanProperties {
  record TimedRequest(long after, Request request) {}

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void storeHasTheOutcomesOfThePlan(
      @ForAll("rules") List<Rule> rules, @ForAll("requests") List<TimedRequest> requests) {
    var set = RuleSet.of(rules);
    var clock = new AtomicLong(START);
    var store = new MemoryStore(new CellTable(1_000), clock::get, () -> {});
    var states = new HashMap<String, State>();
    long holder = 0;
    for (var timed : requests) {
      long now = clock.addAndGet(timed.after);
      var plan = set.plan(timed.request, 0, ++holder);
      var before = new ArrayList<State>();
      for (var charge : plan.charges()) {
        before.add(states.getOrDefault(charge.counter().policy(), State.FRESH));
      }
      var steps = plan.step(before, now);
      var expected = new ArrayList<Outcome>();
      for (int i = 0; i < steps.size(); i++) {
        states.put(plan.charges().get(i).counter().policy(), steps.get(i).state());
        expected.add(steps.get(i).outcome());
      }
      assertThat(store.decide(plan).outcomes()).isEqualTo(expected);
    }
  }

  @Provide
  Arbitrary<List<Rule>> rules() {
    return RandomRules.rules();
  }

  @Provide
  Arbitrary<List<TimedRequest>> requests() {
    var times =
        Arbitraries.oneOf(Arbitraries.just(0L), Arbitraries.longs().between(-1_000, 3_000_000));
    return Combinators.combine(times, RandomRules.requests())
        .as(TimedRequest::new)
        .list()
        .ofMaxSize(30);
  }
}
