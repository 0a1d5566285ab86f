package io.headgate.simulation;

import io.headgate.consistency.ConsistencyOptions;
import io.headgate.limit.Limit;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A rule whose override looks at an attribute that it does not count by, so that a caller chooses
 * between two limits: no limit admits more than it guarantees, and a caller who uses a part of both
 * is never denied.
 */
final class OverrideScenario implements Scenario {
  private record Setting(Limit base, Limit other, int nodes, boolean modest) {}

  @Override
  public String name() {
    return "overrides";
  }

  private static Setting setting(long seed) {
    var dice = Dice.of(seed, 160);
    var work = new Workload(dice);
    long permits = dice.scale(20, 1_000);
    var base = work.divisible(permits, dice.any(10L, 60L) * Workload.SECOND);
    var other =
        work.divisible(
            dice.any(permits / 2, permits, permits * 10),
            dice.any(10L, 60L, 600L) * Workload.SECOND);
    return new Setting(base, other, (int) dice.between(1, 3), dice.oneIn(2));
  }

  @Override
  public Script script(long seed) {
    var here = setting(seed);
    var dice = Dice.of(seed, 161);
    var work = new Workload(dice);
    var rule =
        Rule.named("api")
            .match("user", "*")
            .limit(here.base)
            .override("method", "POST", here.other)
            .consistency(dice.any(Consistency.STRICT, Consistency.LEASED));
    long window = Math.max(here.base.window(), here.other.window());
    long capacity = Math.min(here.base.capacity(), here.other.capacity());
    long end = 3 * window;
    if (here.modest) {
      // A fifth of the smaller capacity in the longer window, by both limits together.
      long every = Math.max(1, 5 * window / capacity);
      boolean post = false;
      for (long at = 0; at < end; at += every, post = !post) ask(work, dice, at, here.nodes, post);
    } else {
      int turns = (int) dice.between(3, 12);
      for (int turn = 0; turn < turns; turn++) {
        long at = dice.below(end);
        boolean post = dice.oneIn(2);
        long burst = Math.min(200, (post ? here.other : here.base).capacity() + 5);
        for (int i = 0; i < burst; i++) ask(work, dice, at + i * Workload.MS, here.nodes, post);
        ask(work, dice, at + burst * Workload.MS, here.nodes, !post);
      }
    }
    return new Script(
        seed,
        here.nodes,
        1,
        List.of(RuleSet.of(rule.build())),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 5_000),
        400,
        work.events,
        end + 5 * Workload.SECOND);
  }

  private static void ask(Workload work, Dice dice, long at, int nodes, boolean post) {
    var subject = Map.of("user", "ann", "method", post ? "POST" : "GET");
    work.events.add(new Event.Ask(at, dice.index(nodes), subject, 1, 0));
  }

  @Override
  public List<Check> checks(Script script) {
    return setting(script.seed()).modest
        ? List.of(new MustPassCheck(0))
        : List.of(new OverCheck(0));
  }
}
