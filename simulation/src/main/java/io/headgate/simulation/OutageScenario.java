package io.headgate.simulation;

import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Stops and restarts servers for all or some of the callers, so that the failure policies decide.
 */
final class OutageScenario implements Scenario {
  private static final long GRACE = 10 * Workload.SECOND;

  @Override
  public String name() {
    return "outage";
  }

  @Override
  public RunScript script(long seed) {
    var dice = Dice.of(seed, 150);
    var work = new Workload(dice);
    int nodes = (int) dice.between(1, 4);
    int shards = dice.any(1, 2, 4);
    long end = dice.between(20, 60) * Workload.SECOND;
    var rules = new ArrayList<Rule>();
    rules.add(rule(dice, work, "each").match("user", "*").build());
    if (shards > 1 && dice.oneIn(2)) {
      rules.add(dice.index(2), rule(dice, work, "everybody").per().build());
    }
    int keys = dice.oneIn(2) ? 12 : 4;
    for (int key = 0; key < keys; key++) {
      long pace = dice.scale(100, dice.oneIn(4) ? 20_000 : 1_000) * Workload.MS;
      for (long at = dice.below(pace); at < end; at += pace + dice.below(pace / 2)) {
        work.request(at, dice.index(nodes), "u" + key, 1);
      }
    }
    int outages = (int) dice.between(0, 3);
    for (int i = 0; i < outages; i++) {
      long duration = dice.scale(100, 20_000) * Workload.MS;
      work.events.add(
          new Event.Outage(dice.below(end), dice.index(shards), duration, dice.oneIn(2), 0));
    }
    if (dice.oneIn(2)) work.faults(0, end, (int) dice.between(1, 4), nodes, shards, false);
    return new RunScript(
        seed,
        nodes,
        shards,
        List.of(RuleSet.of(rules)),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 8_000),
        400,
        work.events,
        end + 30 * Workload.SECOND);
  }

  private static Rule.Builder rule(Dice dice, Workload work, String id) {
    var policy =
        dice.any(
            new FailurePolicy.Allow(),
            new FailurePolicy.Deny(),
            new FailurePolicy.Local(),
            new FailurePolicy.AllowThenDeny(Duration.ofMillis(GRACE / Workload.MS)));
    var limit =
        dice.oneIn(2)
            ? TokenBucket.of(Workload.rate(1_000_000, Workload.SECOND))
            : work.holdable(dice.scale(20, 500), dice.scale(1, 60) * Workload.SECOND);
    return Rule.named(id)
        .limit(limit)
        .onStoreFailure(policy)
        .consistency(dice.any(Consistency.STRICT, Consistency.EVENTUAL));
  }

  @Override
  public List<Check> checks(RunScript script) {
    return List.of(new PolicyCheck());
  }
}
