package io.headgate.simulation;

import io.headgate.consistency.ConsistencyOptions;
import io.headgate.limit.Limit;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Leased and auto rules under all faults: never more than the limit, and after the faults nobody is
 * locked out.
 */
final class LeasedScenario implements Scenario {
  /** Half of the limit may be held; of the other half a part is asked for. */
  private static final int CALM_PART = 5;

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
  public Script script(long seed) {
    var here = setting(seed);
    var dice = Dice.of(seed, 111);
    var work = new Workload(dice);
    Limit limit = work.divisible(here.permits, here.window);
    var rules = new ArrayList<Rule>();
    rules.add(
        Rule.named("hot")
            .match("user", "*")
            .limit(limit)
            .consistency(dice.oneIn(4) ? Consistency.AUTO : Consistency.LEASED)
            .build());
    boolean several = here.nodes < 20 && dice.oneIn(4);
    if (several) {
      var other = work.divisible(here.permits * 2, here.window);
      rules.add(
          Rule.named("other")
              .match("user", "*")
              .limit(other)
              .consistency(dice.any(Consistency.LEASED, Consistency.STRICT))
              .build());
    }
    int keys = (int) dice.between(1, 3);
    int count = here.nodes > 20 ? here.nodes * 8 : (int) dice.scale(200, 1_500);
    work.asks(0, here.busy, count, here.nodes, keys, 4);
    int faults = here.nodes > 20 ? 0 : (int) dice.between(0, 8);
    boolean failovers = dice.oneIn(3);
    work.faults(0, here.busy, faults, here.nodes, here.shards, failovers);
    long calm = here.busy + here.quiet;
    // Calm: for a window, all together ask for less than what nobody can hold.
    long asks = Math.min(limit.capacity() / CALM_PART, here.nodes > 20 ? here.nodes * 4L : 60);
    long lasts = Math.min(here.window, 5 * Workload.SECOND);
    if (here.nodes > 20) {
      for (int i = 0; i < asks; i++) {
        work.ask(calm + i / 4 * (20 * Workload.MS) + i % 4 * (5 * Workload.MS), i / 4, "u0", 1);
      }
    } else if (asks > 0) {
      work.steady(calm, calm + lasts, Math.max(1, lasts / asks + 1), here.nodes, "u0");
    }
    return new Script(
        seed,
        here.nodes,
        here.shards,
        List.of(RuleSet.of(rules)),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 10_000),
        400,
        work.events,
        calm + lasts + 2 * Workload.SECOND);
  }

  @Override
  public List<Check> checks(Script script) {
    var here = setting(script.seed());
    return List.of(new OverCheck(0), new MustPassCheck(here.busy + here.quiet));
  }
}
