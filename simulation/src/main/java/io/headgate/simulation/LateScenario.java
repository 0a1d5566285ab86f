package io.headgate.simulation;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Delays some messages beyond the deadline and loses none. The rules are strict, with the default
 * failure policy, and callers offer up to three times their limits within one window.
 */
final class LateScenario implements Scenario {
  private static final long HOUR = 3_600 * Workload.SECOND;

  /** The length of a delay, of which about one message in twenty is affected. */
  private static final long MAX_DELAY = 150 * Workload.MS;

  private static final long DELAY_EVERY = 1_500 * Workload.MS;

  /** The time in which late replies arrive and admissions are reported. */
  private static final long SETTLE_TIME = 5 * Workload.SECOND;

  @Override
  public String name() {
    return "late";
  }

  @Override
  public RunScript script(long seed) {
    var dice = Dice.of(seed, 180);
    var work = new Workload(dice);
    int nodes = dice.oneIn(3) ? 1 : (int) dice.between(2, 5);
    int shards = dice.any(1, 1, 2);
    long end = dice.scale(10, 40) * Workload.SECOND;
    long permits = dice.scale(100, 600);
    int keys = (int) dice.between(1, 3);
    requests(dice, work, end, permits * keys * dice.between(1, 3), nodes, keys);
    for (int node = 0; node < nodes; node++) {
      for (int shard = 0; shard < shards; shard++) {
        for (long at = dice.below(DELAY_EVERY); at < end; at += 1 + dice.below(2 * DELAY_EVERY)) {
          long lasts = dice.between(20, 200) * Workload.MS;
          work.events.add(new Event.NetworkFault(at, node, shard, lasts, 0, 0, 0, MAX_DELAY));
        }
      }
    }
    var rules = new ArrayList<Rule>();
    rules.add(Rule.named("each").match("user", "*").limit(limit(dice, permits)).build());
    if (dice.oneIn(3)) {
      var all = FixedWindow.of(Workload.rate(permits * keys, HOUR));
      rules.add(Rule.named("all").match("user", "*").per().limit(all).build());
    }
    return new RunScript(
        seed,
        nodes,
        shards,
        List.of(RuleSet.of(rules)),
        Duration.ofMillis(50),
        ConsistencyOptions.DEFAULT,
        dice.scale(100, 4_000),
        200,
        work.events,
        end + SETTLE_TIME);
  }

  /** Returns a limit whose counts don't change within the run, except by requests. */
  private static Limit limit(Dice dice, long permits) {
    var rate = Workload.rate(permits, HOUR);
    return switch (dice.index(3)) {
      case 0 -> TokenBucket.of(rate);
      case 1 -> SlidingWindow.of(rate);
      default -> FixedWindow.of(rate);
    };
  }

  private static void requests(
      Dice dice, Workload work, long end, long count, int nodes, int keys) {
    for (long i = 0; i < count; i++) {
      long cost = dice.oneIn(8) ? dice.between(1, 3) : 1;
      work.request(dice.below(end), dice.index(nodes), "u" + dice.index(keys), cost);
    }
  }

  @Override
  public List<Check> checks(RunScript script) {
    return List.of(new LateCheck());
  }
}
