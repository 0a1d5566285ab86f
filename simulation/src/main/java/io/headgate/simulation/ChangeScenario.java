package io.headgate.simulation;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Changes the limit of a leased or strict rule while instances hold permits and messages with the
 * old limit are in transit.
 */
final class ChangeScenario implements Scenario {
  private enum Kind {
    /** Windows so long that no permit is replenished: the shares used must not exceed 1. */
    SHARE,
    /** Short windows followed by a quiet time, after which the caller must not be locked out. */
    CALM,
    /** A change from a rate limit to a concurrency limit. */
    SLOTS
  }

  private record Setting(Kind kind, Limit before, Limit after, int nodes, long busy, long calm) {}

  @Override
  public String name() {
    return "changed-limit";
  }

  private static Setting setting(long seed) {
    var dice = Dice.of(seed, 120);
    var kind = dice.any(Kind.values());
    int nodes = (int) dice.between(1, 5);
    long busy = dice.between(2, 6) * Workload.SECOND;
    long permits = dice.scale(30, 2_000);
    long permitsAfter = dice.oneIn(2) ? permits : dice.scale(20, 5_000);
    return switch (kind) {
      case SHARE -> {
        long window = dice.between(6, 10) * 3_600 * Workload.SECOND;
        Limit before = TokenBucket.of(Workload.rate(permits, window));
        if (dice.oneIn(2))
          before = FixedWindow.of(Workload.rate(permits, 24 * 3_600 * Workload.SECOND));
        Limit after =
            switch (dice.index(3)) {
              case 0 -> TokenBucket.of(Workload.rate(permitsAfter, window));
              case 1 -> FixedWindow.of(Workload.rate(permitsAfter, 24 * 3_600 * Workload.SECOND));
              default -> RollingWindow.of(Workload.rate(permitsAfter, window));
            };
        yield new Setting(kind, before, after, nodes, busy, 2 * busy);
      }
      case CALM -> {
        long window = dice.between(5, 60) * Workload.SECOND;
        var work = new Workload(dice);
        Limit before = work.holdable(dice.scale(100, 20_000), window);
        Limit after = work.holdable(dice.scale(10, 1_000), dice.between(5, 60) * Workload.SECOND);
        long quiet = 2 * before.window() + 2 * after.window() + 35 * Workload.SECOND;
        yield new Setting(kind, before, after, nodes, busy, 2 * busy + quiet);
      }
      case SLOTS ->
          new Setting(
              kind,
              TokenBucket.of(Workload.rate(permits, dice.between(1, 20) * Workload.SECOND)),
              Concurrency.of(dice.between(2, 8)).withLease(Duration.ofMinutes(5)),
              nodes,
              busy,
              0);
    };
  }

  @Override
  public RunScript script(long seed) {
    var setting = setting(seed);
    var dice = Dice.of(seed, 121);
    var work = new Workload(dice);
    var consistency = dice.any(Consistency.LEASED, Consistency.LEASED, Consistency.STRICT);
    long pace = dice.scale(2, 30) * Workload.MS;
    work.steady(0, setting.busy, pace, setting.nodes, "u0");
    for (int node = 0; node < setting.nodes; node++) {
      long delay = dice.below(setting.kind == Kind.SHARE ? 50 * Workload.MS : 300 * Workload.MS);
      work.events.add(new Event.Change(setting.busy + delay, node, 1));
    }
    long after = setting.busy + 300 * Workload.MS;
    if (setting.kind == Kind.SLOTS) {
      for (int i = 0; i < 60; i++) {
        long at = after + dice.below(20 * Workload.SECOND);
        long holds = dice.scale(100, 60_000) * Workload.MS;
        work.events.add(
            new Event.Arrival(at, dice.index(setting.nodes), Map.of("user", "u0"), 1, holds));
      }
    } else {
      work.steady(setting.busy, 2 * setting.busy, pace, setting.nodes, "u0");
    }
    if (dice.oneIn(3)) work.faults(0, 2 * setting.busy, 2, setting.nodes, 1, false);
    if (setting.calm > 0 && setting.kind == Kind.CALM) {
      long requests = Math.max(1, Math.min(10, setting.after.capacity() / 5));
      work.steady(
          setting.calm,
          setting.calm + Workload.SECOND,
          Workload.SECOND / requests + 1,
          setting.nodes,
          "u0");
    }
    return new RunScript(
        seed,
        setting.nodes,
        1,
        List.of(rules(consistency, setting.before), rules(consistency, setting.after)),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 10_000),
        400,
        work.events,
        Math.max(setting.calm, 2 * setting.busy) + 30 * Workload.SECOND);
  }

  private static RuleSet rules(Consistency consistency, Limit limit) {
    return RuleSet.of(
        Rule.named("r").match("user", "*").limit(limit).consistency(consistency).build());
  }

  @Override
  public List<Check> checks(RunScript script) {
    var setting = setting(script.seed());
    return switch (setting.kind) {
      case SHARE -> List.of(new ShareCheck());
      case CALM -> List.of(new MustPassCheck(setting.calm));
      case SLOTS -> List.of(new SlotsCheck());
    };
  }
}
