package io.headgate.simulation;

import io.headgate.rule.Combine;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs strict rules of all algorithms and combinations without faults: decisions are exact. */
final class StrictScenario implements Scenario {
  @Override
  public String name() {
    return "strict";
  }

  @Override
  public RunScript script(long seed) {
    var dice = Dice.of(seed, 100);
    var work = new Workload(dice);
    var rules = new ArrayList<Rule>();
    long end = dice.scale(2, 20) * Workload.SECOND;
    int count = (int) dice.between(1, 4);
    for (int i = 0; i < count; i++) {
      var rule = Rule.named("r" + i).match("user", "*");
      int limits = dice.oneIn(3) ? (int) dice.between(2, 3) : 1;
      for (int l = 0; l < limits; l++) {
        var limit = work.anyLimit(dice.scale(3, 60), dice.scale(200, 10_000) * Workload.MS);
        rule.limit(RuleLimit.of("l" + l, limit).withWeight(dice.between(1, 5)));
      }
      if (dice.oneIn(4)) rule.mode(Mode.SHADOW);
      rule.combine(
          dice.any(
              new Combine.All(),
              new Combine.Any(),
              new Combine.Weighted((int) dice.between(300, 900))));
      if (limits == 1 && dice.oneIn(3)) {
        rule.override(
            "user", "u0", work.anyLimit(dice.scale(3, 60), dice.scale(200, 5_000) * Workload.MS));
      }
      rules.add(rule.build());
    }
    int nodes = dice.oneIn(10) ? 30 : (int) dice.between(1, 5);
    int shards = dice.any(1, 1, 2, 4);
    work.requests(0, end, (int) dice.scale(100, 600), nodes, (int) dice.between(1, 6), 5);
    return new RunScript(
        seed,
        nodes,
        shards,
        List.of(RuleSet.of(rules)),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 8_000),
        200,
        work.events,
        end + 2 * Workload.SECOND);
  }

  @Override
  public List<Check> checks(RunScript script) {
    return List.of(new ExactCheck(), new ChargeCheck(true));
  }
}
