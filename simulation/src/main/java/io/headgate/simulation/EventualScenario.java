package io.headgate.simulation;

import io.headgate.limit.Limit;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs eventual rules without faults. They over-admit by at most the traffic of one sync interval,
 * once, and every admitted permit is reported. There are bursts with idle minutes between them,
 * many callers at once, slow networks and limits that change.
 */
final class EventualScenario implements Scenario {
  private enum Kind {
    STEADY,
    BURSTS,
    MANY,
    CHANGED
  }

  private record Setting(Kind kind, long sync, long latency, int nodes) {
    /** Returns the time after which an admission of one instance is known to all. */
    long syncTime() {
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
    long latency = kind == Kind.MANY ? dice.scale(2_000, 10_000) : dice.scale(100, 15_000);
    return new Setting(kind, sync, latency, kind == Kind.MANY ? 1 : (int) dice.between(1, 5));
  }

  @Override
  public RunScript script(long seed) {
    var setting = setting(seed);
    var dice = Dice.of(seed, 141);
    var work = new Workload(dice);
    var ruleSets = new ArrayList<RuleSet>();
    long end;
    switch (setting.kind) {
      case STEADY -> {
        end = dice.scale(2, 20) * Workload.SECOND;
        ruleSets.add(
            rules(work.holdable(dice.scale(10, 300), dice.scale(1, 10) * Workload.SECOND)));
        work.requests(0, end, (int) dice.scale(200, 1_200), setting.nodes, 3, 4);
      }
      case BURSTS -> {
        long permits = dice.scale(20, 200);
        ruleSets.add(rules(work.holdable(permits, dice.scale(90, 3_600) * Workload.SECOND)));
        boolean moves = dice.oneIn(3);
        end = 0;
        for (int burst = 0; burst < 4; burst++) {
          for (int i = 0; i < permits; i++) {
            work.request(
                end + dice.below(setting.sync / 2), moves ? burst % setting.nodes : 0, "u0", 1);
          }
          end += dice.between(20, 150) * Workload.SECOND;
        }
      }
      case MANY -> {
        var daily = TokenBucket.of(Workload.rate(1_000, 86_400 * Workload.SECOND));
        ruleSets.add(RuleSet.of(rule(daily), strictRule()));
        int callers = (int) dice.scale(1_000, 5_000);
        for (int i = 0; i < callers; i++) {
          // The first request creates the local copy; the second is reported with all others.
          work.request(dice.below(setting.sync), 0, "u" + i, 1);
          work.request(setting.sync + dice.below(setting.sync), 0, "u" + i, 1);
        }
        // Strict checks share the server's queue with the reports.
        for (long at = 0; at < 4 * setting.sync; at += 2 * Workload.MS) {
          work.events.add(new Event.Arrival(at, 0, Map.of("job", "j"), 1, 0));
        }
        end = 4 * setting.sync;
      }
      case CHANGED -> {
        long permits = dice.scale(50, 1_000);
        ruleSets.add(rules(work.holdable(permits, Workload.SECOND)));
        ruleSets.add(rules(work.holdable(Math.max(1, permits / 10), Workload.SECOND)));
        end = 4 * Workload.SECOND;
        work.steady(0, end, Math.max(1, 2 * Workload.SECOND / permits), setting.nodes, "u0");
        for (int node = 0; node < setting.nodes; node++) {
          work.events.add(
              new Event.Change(Workload.SECOND + dice.below(100 * Workload.MS), node, 1));
        }
      }
      default -> throw new IllegalStateException(setting.kind.name());
    }
    return new RunScript(
        seed,
        setting.nodes,
        setting.kind == Kind.MANY ? 1 : dice.any(1, 1, 2), // in a cluster, each slot has a queue
        ruleSets,
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT.withSyncInterval(Duration.ofMillis(setting.sync / Workload.MS)),
        setting.latency,
        400,
        work.events,
        end + 5 * Workload.SECOND);
  }

  private static RuleSet rules(Limit limit) {
    return RuleSet.of(rule(limit));
  }

  private static Rule rule(Limit limit) {
    return Rule.named("r")
        .match("user", "*")
        .limit(limit)
        .consistency(Consistency.EVENTUAL)
        .build();
  }

  private static Rule strictRule() {
    return Rule.named("job")
        .match("job", "*")
        .limit(TokenBucket.of(Workload.rate(1_000_000, Workload.SECOND)))
        .build();
  }

  @Override
  public List<Check> checks(RunScript script) {
    var setting = setting(script.seed());
    var over = new OverCheck(setting.syncTime());
    // A changed limit converts unreported permits to its own scale, so charges cannot be compared.
    return setting.kind == Kind.CHANGED
        ? List.of(over, new NoPolicyCheck())
        : List.of(over, new ChargeCheck(true), new NoPolicyCheck());
  }
}
