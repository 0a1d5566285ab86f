package io.headgate.simulation;

import io.headgate.consistency.ConsistencyOptions;
import io.headgate.limit.Limit;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Eventual rules without faults: over by no more than what is offered within a sync interval, once,
 * and every admitted permit is reported. Bursts with idle minutes between them, many callers at
 * once, slow networks, and limits that change.
 */
final class EventualScenario implements Scenario {
  private enum Kind {
    STEADY,
    BURSTS,
    MANY,
    CHANGED
  }

  private record Setting(Kind kind, long sync, long latency, int nodes) {
    /** After this, a permit that one instance counted is known to all. */
    long known() {
      return 2 * sync + 6 * latency + 60 * Workload.MS;
    }
  }

  @Override
  public String name() {
    return "eventual";
  }

  private static Setting setting(long seed) {
    var dice = Dice.of(seed, 140);
    var kind = dice.oneIn(6) ? Kind.MANY : dice.any(Kind.STEADY, Kind.BURSTS, Kind.CHANGED);
    long sync = dice.any(20L, 100L, 100L, 500L) * Workload.MS;
    long latency = kind == Kind.MANY ? dice.scale(2_000, 20_000) : dice.scale(100, 15_000);
    return new Setting(kind, sync, latency, kind == Kind.MANY ? 1 : (int) dice.between(1, 5));
  }

  @Override
  public Script script(long seed) {
    var here = setting(seed);
    var dice = Dice.of(seed, 141);
    var work = new Workload(dice);
    var ruleSets = new ArrayList<RuleSet>();
    long end;
    switch (here.kind) {
      case STEADY -> {
        end = dice.scale(2, 20) * Workload.SECOND;
        ruleSets.add(
            rules(work.divisible(dice.scale(10, 300), dice.scale(1, 10) * Workload.SECOND)));
        work.asks(0, end, (int) dice.scale(200, 1_200), here.nodes, 3, 4);
      }
      case BURSTS -> {
        long permits = dice.scale(20, 200);
        ruleSets.add(rules(work.divisible(permits, dice.scale(90, 3_600) * Workload.SECOND)));
        boolean moves = dice.oneIn(3);
        end = 0;
        for (int burst = 0; burst < 4; burst++) {
          for (int i = 0; i < permits; i++) {
            work.ask(end + dice.below(here.sync / 2), moves ? burst % here.nodes : 0, "u0", 1);
          }
          end += dice.between(20, 150) * Workload.SECOND;
        }
      }
      case MANY -> {
        ruleSets.add(rules(new TokenBucket(Workload.rate(1_000, 86_400 * Workload.SECOND))));
        int callers = (int) dice.scale(300, 2_500);
        for (int i = 0; i < callers; i++) work.ask(dice.below(here.sync), 0, "u" + i, 1);
        end = 2 * here.sync;
      }
      case CHANGED -> {
        long permits = dice.scale(50, 1_000);
        ruleSets.add(rules(work.divisible(permits, Workload.SECOND)));
        ruleSets.add(rules(work.divisible(Math.max(1, permits / 10), Workload.SECOND)));
        end = 4 * Workload.SECOND;
        work.steady(0, end, Math.max(1, 2 * Workload.SECOND / permits), here.nodes, "u0");
        for (int node = 0; node < here.nodes; node++) {
          work.events.add(
              new Event.Change(Workload.SECOND + dice.below(100 * Workload.MS), node, 1));
        }
      }
      default -> throw new IllegalStateException(here.kind.name());
    }
    return new Script(
        seed,
        here.nodes,
        dice.any(1, 1, 2),
        ruleSets,
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT.withSyncInterval(Duration.ofMillis(here.sync / Workload.MS)),
        here.latency,
        400,
        work.events,
        end + 5 * Workload.SECOND);
  }

  private static RuleSet rules(Limit limit) {
    return RuleSet.of(
        Rule.named("r").match("user", "*").limit(limit).consistency(Consistency.EVENTUAL).build());
  }

  @Override
  public List<Check> checks(Script script) {
    var here = setting(script.seed());
    var over = new OverCheck(here.known());
    // A changed limit takes over what was not reported yet as a share: its permits are others.
    return here.kind == Kind.CHANGED
        ? List.of(over, new NoPolicyCheck())
        : List.of(over, new ChargeCheck(true), new NoPolicyCheck());
  }
}
