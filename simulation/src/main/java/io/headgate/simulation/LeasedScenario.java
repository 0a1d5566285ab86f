package io.headgate.simulation;

import io.headgate.limit.Limit;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs leased and auto rules under all faults. Admissions never exceed the limit, and no caller is
 * locked out after the faults.
 */
final class LeasedScenario implements Scenario {
  /** At most half of the limit can be held, so a fifth of the capacity must be admitted. */
  private static final int CALM_FRACTION = 5;

  private record Setting(int nodes, int shards, long window, long permits, long busy, long quiet) {}

  @Override
  public String name() {
    return "leased";
  }

  private static Setting setting(long seed) {
    var dice = Dice.of(seed, 110);
    int nodes = dice.oneIn(12) ? (int) dice.between(60, 72) : (int) dice.between(1, 6);
    long window = dice.scale(1, 60) * Workload.SECOND;
    long permits = nodes > 20 ? dice.scale(3_000, 100_000) : dice.scale(10, 2_000);
    long busy = Math.min(dice.scale(2, 30), nodes > 20 ? 3 : 30) * Workload.SECOND;
    long quiet = 2 * window + 35 * Workload.SECOND;
    return new Setting(nodes, dice.any(1, 1, 2), window, permits, busy, quiet);
  }

  @Override
  public RunScript script(long seed) {
    var setting = setting(seed);
    var dice = Dice.of(seed, 111);
    var work = new Workload(dice);
    Limit limit = work.holdable(setting.permits, setting.window);
    var rules = new ArrayList<Rule>();
    rules.add(
        Rule.named("hot")
            .match("user", "*")
            .limit(limit)
            .consistency(dice.oneIn(4) ? Consistency.AUTO : Consistency.LEASED)
            .build());
    boolean several = setting.nodes < 20 && dice.oneIn(4);
    if (several) {
      var other = work.holdable(setting.permits * 2, setting.window);
      rules.add(
          Rule.named("other")
              .match("user", "*")
              .limit(other)
              .consistency(dice.any(Consistency.LEASED, Consistency.STRICT))
              .build());
    }
    int keys = (int) dice.between(1, 3);
    int count = setting.nodes > 20 ? setting.nodes * 8 : (int) dice.scale(200, 1_500);
    work.requests(0, setting.busy, count, setting.nodes, keys, 4);
    int faults = setting.nodes > 20 ? 0 : (int) dice.between(0, 8);
    boolean failovers = dice.oneIn(3);
    work.faults(0, setting.busy, faults, setting.nodes, setting.shards, failovers);
    long calm = setting.busy + setting.quiet;
    // For one window, the instances together request less than the share that cannot be held.
    long requests =
        Math.min(limit.capacity() / CALM_FRACTION, setting.nodes > 20 ? setting.nodes * 4L : 60);
    long duration = Math.min(setting.window, 5 * Workload.SECOND);
    if (setting.nodes > 20) {
      for (int i = 0; i < requests; i++) {
        work.request(calm + i / 4 * (20 * Workload.MS) + i % 4 * (5 * Workload.MS), i / 4, "u0", 1);
      }
    } else if (requests > 0) {
      work.steady(calm, calm + duration, Math.max(1, duration / requests + 1), setting.nodes, "u0");
    }
    return new RunScript(
        seed,
        setting.nodes,
        setting.shards,
        List.of(RuleSet.of(rules)),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 10_000),
        400,
        work.events,
        calm + duration + 2 * Workload.SECOND);
  }

  @Override
  public List<Check> checks(RunScript script) {
    var setting = setting(script.seed());
    return List.of(new OverCheck(0), new MustPassCheck(setting.busy + setting.quiet));
  }
}
