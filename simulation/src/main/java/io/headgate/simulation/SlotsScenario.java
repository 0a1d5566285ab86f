package io.headgate.simulation;

import io.headgate.consistency.ConsistencyOptions;
import io.headgate.limit.Concurrency;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Requests in flight under faults: never more than slots, and slots of the dead come back. */
final class SlotsScenario implements Scenario {
  private record Setting(long max, long lease, int nodes, int shards, long busy) {}

  @Override
  public String name() {
    return "slots";
  }

  private static Setting setting(long seed) {
    var dice = Dice.of(seed, 130);
    return new Setting(
        dice.between(1, 12),
        dice.scale(1, 30) * Workload.SECOND,
        (int) dice.between(1, 6),
        dice.any(1, 2),
        dice.scale(2, 30) * Workload.SECOND);
  }

  @Override
  public Script script(long seed) {
    var here = setting(seed);
    var dice = Dice.of(seed, 131);
    var work = new Workload(dice);
    var limit = new Concurrency(here.max, Duration.ofNanos(here.lease * 1_000));
    var rule =
        Rule.named("slots")
            .match("user", "*")
            .limit(limit)
            .consistency(dice.any(Consistency.STRICT, Consistency.LEASED));
    int count = (int) dice.scale(50, 500);
    for (int i = 0; i < count; i++) {
      long holds = dice.scale(5, here.lease / Workload.MS * 2) * Workload.MS;
      long cost = dice.oneIn(5) ? dice.between(1, Math.min(3, here.max)) : 1;
      var user = Map.of("user", "u" + dice.index(2));
      work.events.add(
          new Event.Ask(dice.below(here.busy), dice.index(here.nodes), user, cost, holds));
    }
    work.faults(0, here.busy, (int) dice.between(0, 6), here.nodes, here.shards, false);
    long calm = calm(here);
    for (int i = 0; i < here.max; i++) {
      var user = Map.of("user", "u0");
      work.events.add(new Event.Ask(calm + i * Workload.MS, i % here.nodes, user, 1, here.lease));
    }
    return new Script(
        seed,
        here.nodes,
        here.shards,
        List.of(RuleSet.of(rule.build())),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 10_000),
        400,
        work.events,
        calm + 5 * Workload.SECOND);
  }

  private static long calm(Setting here) {
    return here.busy + 3 * here.lease + 10 * Workload.SECOND;
  }

  @Override
  public List<Check> checks(Script script) {
    return List.of(new SlotsCheck(), new MustPassCheck(calm(setting(script.seed()))));
  }
}
