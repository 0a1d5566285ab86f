package io.headgate.simulation;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.Limit;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Runs concurrency limits under faults. A request is admitted only if the requests in flight are
 * then within the limit, and the slots of crashed instances expire.
 *
 * @param isAdaptive whether the limit follows the load, by calls of random outcomes and durations
 */
record SlotsScenario(boolean isAdaptive) implements Scenario {
  private record Setting(long max, long lease, int nodes, int shards, long busy) {}

  @Override
  public String name() {
    return isAdaptive ? "adaptive-slots" : "slots";
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
  public RunScript script(long seed) {
    var setting = setting(seed);
    var dice = Dice.of(seed, 131);
    var work = new Workload(dice);
    var lease = Duration.ofNanos(setting.lease * 1_000);
    // A request needs at most min slots, so that it passes under every limit.
    Limit limit =
        isAdaptive
            ? new AdaptiveConcurrency(
                setting.max, 3 * setting.max, dice.between(1, 3) * setting.max, lease)
            : new Concurrency(setting.max, lease);
    var rule =
        Rule.named("slots")
            .match("user", "*")
            .limit(limit)
            .consistency(dice.any(Consistency.STRICT, Consistency.LEASED));
    int count = (int) dice.scale(50, 500);
    for (int i = 0; i < count; i++) {
      long holds = dice.scale(5, setting.lease / Workload.MS * 2) * Workload.MS;
      long cost = dice.oneIn(5) ? dice.between(1, Math.min(3, setting.max)) : 1;
      var user = Map.of("user", "u" + dice.index(2));
      work.events.add(
          new Event.Arrival(
              dice.below(setting.busy), dice.index(setting.nodes), user, cost, holds));
    }
    work.faults(0, setting.busy, (int) dice.between(0, 6), setting.nodes, setting.shards, false);
    long calm = calm(setting);
    for (int i = 0; i < setting.max; i++) {
      var user = Map.of("user", "u0");
      work.events.add(
          new Event.Arrival(calm + i * Workload.MS, i % setting.nodes, user, 1, setting.lease));
    }
    return new RunScript(
        seed,
        setting.nodes,
        setting.shards,
        List.of(RuleSet.of(rule.build())),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 10_000),
        400,
        work.events,
        calm + 5 * Workload.SECOND);
  }

  private static long calm(Setting setting) {
    return setting.busy + 3 * setting.lease + 10 * Workload.SECOND;
  }

  @Override
  public List<Check> checks(RunScript script) {
    return List.of(new SlotsCheck(), new MustPassCheck(calm(setting(script.seed()))));
  }
}
