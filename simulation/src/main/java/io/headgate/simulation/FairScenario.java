package io.headgate.simulation;

import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.List;

/**
 * Runs a limit that tenants share fairly, under all faults and every consistency mode. All tenants
 * together never exceed the limit. After the faults, no tenant within its share is denied.
 */
final class FairScenario implements Scenario {
  private static final int TENANTS = 4;
  private static final long QUIET = 5 * Workload.SECOND;

  @Override
  public String name() {
    return "fair";
  }

  private static long busy(long seed) {
    return Dice.of(seed, 120).scale(2, 12) * Workload.SECOND;
  }

  @Override
  public RunScript script(long seed) {
    var dice = Dice.of(seed, 121);
    var work = new Workload(dice);
    long permits = dice.scale(50, 2_000);
    var sharing = FairSharing.among("user");
    if (dice.oneIn(2)) sharing = sharing.withWeight("u0", (int) dice.between(2, 5));
    var bucket = TokenBucket.of(Workload.rate(permits, Workload.SECOND));
    var rule =
        Rule.named("shared")
            .limit(new FairShare(bucket, sharing))
            .consistency(dice.any(Consistency.values()))
            .build();
    int nodes = (int) dice.between(1, 6);
    long busy = busy(seed);
    work.requests(0, busy, (int) dice.scale(200, 1_500), nodes, TENANTS, 4);
    // One tenant requests more than the rate.
    work.steady(0, busy / 2, Workload.SECOND / (permits + permits / 2), nodes, "u1");
    work.faults(0, busy, (int) dice.between(0, 6), nodes, 1, dice.oneIn(3));
    // One of four tenants takes turns with the others, each within its share of rate and burst.
    long calm = busy + QUIET;
    long interval = Workload.SECOND / permits * 2 + 1;
    int turn = 0;
    for (long at = calm; at < calm + Workload.SECOND; at += interval, turn++) {
      work.request(at, turn % nodes, "u" + turn % TENANTS, 1);
    }
    return new RunScript(
        seed,
        nodes,
        1,
        List.of(RuleSet.of(rule)),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 8_000),
        300,
        work.events,
        calm + 3 * Workload.SECOND);
  }

  @Override
  public List<Check> checks(RunScript script) {
    return List.of(new OverCheck(0), new MustPassCheck(busy(script.seed()) + QUIET));
  }
}
