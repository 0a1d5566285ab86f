package io.headgate.simulation;

import io.headgate.limit.Limit;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Runs a rule whose override matches an attribute outside {@code per}, so that a caller can choose
 * between two limits. Neither limit admits more than it guarantees, and a caller that uses a part
 * of both is never denied.
 */
final class OverrideScenario implements Scenario {
  private record Setting(Limit base, Limit other, int nodes, boolean withinLimits) {}

  @Override
  public String name() {
    return "overrides";
  }

  private static Setting setting(long seed) {
    var dice = Dice.of(seed, 160);
    var work = new Workload(dice);
    long permits = dice.scale(20, 1_000);
    var base = work.holdable(permits, dice.any(10L, 60L) * Workload.SECOND);
    var other =
        work.holdable(
            dice.any(permits / 2, permits, permits * 10),
            dice.any(10L, 60L, 600L) * Workload.SECOND);
    return new Setting(base, other, (int) dice.between(1, 3), dice.oneIn(2));
  }

  @Override
  public RunScript script(long seed) {
    var setting = setting(seed);
    var dice = Dice.of(seed, 161);
    var work = new Workload(dice);
    var rule =
        Rule.named("api")
            .match("user", "*")
            .limit(setting.base)
            .override("method", "POST", setting.other)
            .consistency(dice.any(Consistency.STRICT, Consistency.LEASED));
    long window = Math.max(setting.base.window(), setting.other.window());
    long capacity = Math.min(setting.base.capacity(), setting.other.capacity());
    long end = 3 * window;
    if (setting.withinLimits) {
      // Use a fifth of the smaller capacity in the longer window, of both limits together.
      long interval = Math.max(1, 5 * window / capacity);
      boolean post = false;
      for (long at = 0; at < end; at += interval, post = !post)
        request(work, dice, at, setting.nodes, post);
    } else {
      int turns = (int) dice.between(3, 12);
      for (int turn = 0; turn < turns; turn++) {
        long at = dice.below(end);
        boolean post = dice.oneIn(2);
        long burst = Math.min(200, (post ? setting.other : setting.base).capacity() + 5);
        for (int i = 0; i < burst; i++)
          request(work, dice, at + i * Workload.MS, setting.nodes, post);
        request(work, dice, at + burst * Workload.MS, setting.nodes, !post);
      }
    }
    return new RunScript(
        seed,
        setting.nodes,
        1,
        List.of(RuleSet.of(rule.build())),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 5_000),
        400,
        work.events,
        end + 5 * Workload.SECOND);
  }

  private static void request(Workload work, Dice dice, long at, int nodes, boolean post) {
    var subject = Map.of("user", "ann", "method", post ? "POST" : "GET");
    work.events.add(new Event.Arrival(at, dice.index(nodes), subject, 1, 0));
  }

  @Override
  public List<Check> checks(RunScript script) {
    return setting(script.seed()).withinLimits
        ? List.of(new MustPassCheck(0))
        : List.of(new OverCheck(0));
  }
}
