package io.headgate.simulation;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.simulation.Event.OwnerChange;
import io.headgate.simulation.OwnedShard.Defect;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs strict rules on a cluster of instances whose counters change their owners: owners crash,
 * hand over, and are separated with a minority of the instances. By the time of each counter,
 * admissions never exceed the limit.
 */
final class OwnersScenario implements Scenario {
  private final Defect defect;

  OwnersScenario() {
    this(Defect.NONE);
  }

  /** Creates the scenario of a wrong protocol, for tests of the simulation. */
  OwnersScenario(Defect defect) {
    this.defect = defect;
  }

  @Override
  public String name() {
    return "owners";
  }

  @Override
  public Shard server(World world, int number, long skew) {
    return new OwnedShard(world, number, skew, defect);
  }

  @Override
  public RunScript script(long seed) {
    var dice = Dice.of(seed, 190);
    var work = new Workload(dice);
    int nodes = (int) dice.between(3, 7);
    int shards = dice.any(1, 1, 2, 3);
    long busy = dice.scale(2, 20) * Workload.SECOND;
    var rules = new ArrayList<Rule>();
    for (int i = 0; i < dice.between(1, 2); i++) {
      var limit = work.anyLimit(dice.scale(3, 200), dice.scale(200, 10_000) * Workload.MS);
      rules.add(Rule.named("r" + i).match("user", "*").limit(limit).build());
    }
    work.requests(0, busy, (int) dice.scale(200, 1_000), nodes, (int) dice.between(1, 4), 3);
    work.faults(0, busy, (int) dice.between(0, 3), nodes, shards, false);
    for (long changes = dice.between(1, 12); changes > 0; changes--) {
      long at = dice.below(busy);
      var kind = dice.any(OwnerChange.Kind.values());
      long detected = dice.scale(kind == OwnerChange.Kind.HAND_OVER ? 1 : 20, 3_000) * Workload.MS;
      long lasts = dice.scale(100, 10_000) * Workload.MS;
      long minority = 0;
      for (int i = 0; i < (nodes - 1) / 2; i++) minority |= 1L << dice.index(nodes);
      work.events.add(new OwnerChange(at, dice.index(shards), kind, detected, lasts, minority));
    }
    return new RunScript(
        seed,
        nodes,
        shards,
        List.of(RuleSet.of(rules)),
        Duration.ofMillis(250),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 8_000),
        200,
        work.events,
        busy + 15 * Workload.SECOND);
  }

  @Override
  public List<Check> checks(RunScript script) {
    return List.of(new OverCheck(0));
  }
}
