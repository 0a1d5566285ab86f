package io.headgate.simulation;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Combine;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs plans with counters on several shards: an admission charges all of them, a denial none. */
final class SpanningScenario implements Scenario {
  private static final long DAY = 86_400 * Workload.SECOND;

  @Override
  public String name() {
    return "spanning";
  }

  @Override
  public RunScript script(long seed) {
    var dice = Dice.of(seed, 101);
    var work = new Workload(dice);
    long end = dice.scale(300, 4_000) * Workload.MS;
    var rules = new ArrayList<Rule>();
    rules.add(Rule.named("everybody").per().limit(limit(dice, dice.scale(20, 400))).build());
    rules.add(Rule.named("each").match("user", "*").limit(limit(dice, dice.scale(5, 200))).build());
    int more = (int) dice.between(0, 2);
    for (int i = 0; i < more; i++) {
      var rule = Rule.named("more" + i).match("user", "*");
      if (dice.oneIn(2)) {
        rule.mode(Mode.SHADOW);
        rule.limit(limit(dice, dice.scale(1, 50)));
        if (dice.oneIn(2)) rule.per();
      } else {
        rule.combine(dice.any(new Combine.Any(), new Combine.Weighted(500)));
        rule.limit(RuleLimit.of("wide", limit(dice, dice.scale(1, 50))).withPer());
        rule.limit(RuleLimit.of("narrow", limit(dice, dice.scale(1, 50))).withPer("user"));
        if (dice.oneIn(2)) {
          rule.limit(RuleLimit.of("last", limit(dice, dice.scale(1, 200))).withPer().withWeight(2));
        }
      }
      rules.add(rule.build());
    }
    int nodes = (int) dice.between(1, 6);
    int shards = dice.any(2, 4);
    boolean faulty = isFaulty(seed);
    work.requests(0, end, (int) dice.scale(60, 400), nodes, (int) dice.between(1, 4), 3);
    if (faulty) work.faults(0, end, (int) dice.between(1, 5), nodes, shards, false, false);
    return new RunScript(
        seed,
        nodes,
        shards,
        List.of(RuleSet.of(rules)),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, faulty ? 20_000 : 3_000),
        200,
        work.events,
        end + 10 * Workload.SECOND);
  }

  private static Limit limit(Dice dice, long permits) {
    return dice.oneIn(2)
        ? TokenBucket.of(Workload.rate(permits, DAY))
        : FixedWindow.of(Workload.rate(permits, DAY));
  }

  private static boolean isFaulty(long seed) {
    return Dice.of(seed, 102).oneIn(3);
  }

  @Override
  public List<Check> checks(RunScript script) {
    return List.of(new ChargeCheck(!isFaulty(script.seed())), new OverCheck(0));
  }
}
