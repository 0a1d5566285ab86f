package io.headgate.simulation;

import io.headgate.limit.FixedWindow;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.List;

/** Stops and restarts a server within one window; the rule has the default failure policy. */
final class LocalScenario implements Scenario {
  private static final long HOUR = 3_600 * Workload.SECOND;

  /** The time in which circuit breakers close and local admissions are reported. */
  static final long SETTLE_TIME = 5 * Workload.SECOND;

  @Override
  public String name() {
    return "local";
  }

  @Override
  public RunScript script(long seed) {
    var dice = Dice.of(seed, 160);
    var work = new Workload(dice);
    int nodes = (int) dice.between(1, 5);
    int outages = (int) dice.between(1, 3);
    boolean quiet = dice.oneIn(2);
    long from = dice.oneIn(2) ? 0 : dice.between(1, 5) * Workload.SECOND;
    long requestsFrom = 10 * Workload.MS;
    int keys = (int) dice.between(1, 3);
    long pace = dice.scale(10, 500) * Workload.MS;
    for (int i = 0; i < outages; i++) {
      long duration = dice.between(2_000, 10_000) * Workload.MS;
      work.events.add(new Event.Outage(from, 0, duration, dice.oneIn(2), 0));
      long end = from + duration;
      requests(dice, work, requestsFrom, end, pace, nodes, keys);
      requestsFrom = quiet ? end + SETTLE_TIME : end;
      from = end + SETTLE_TIME + dice.between(3_000, 8_000) * Workload.MS;
    }
    requests(dice, work, requestsFrom, from, pace, nodes, keys);
    var rule =
        Rule.named("each")
            .match("user", "*")
            .limit(FixedWindow.of(Workload.rate(dice.scale(1, 200), HOUR)))
            .build();
    return new RunScript(
        seed,
        nodes,
        1,
        List.of(RuleSet.of(rule)),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 8_000),
        400,
        work.events,
        from + 10 * Workload.SECOND);
  }

  private static void requests(
      Dice dice, Workload work, long from, long until, long pace, int nodes, int keys) {
    for (long at = from + dice.below(pace); at < until; at += 1 + dice.below(2 * pace)) {
      long cost = dice.oneIn(6) ? dice.between(1, 3) : 1;
      work.request(at, dice.index(nodes), "u" + dice.index(keys), cost);
    }
  }

  @Override
  public List<Check> checks(RunScript script) {
    return List.of(new LocalCheck());
  }
}
