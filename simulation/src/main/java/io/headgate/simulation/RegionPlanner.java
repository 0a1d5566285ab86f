package io.headgate.simulation;

import io.headgate.internal.region.ShareTiming;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.util.Locale;

/**
 * Computes the messages of many regions at high rates, by simulation of the real shares: {@code
 * ./simulate --plan-regions}. Requests are simulated in groups, so that a million a second take
 * seconds.
 */
final class RegionPlanner {
  private static final long SECOND = Workload.SECOND;
  private static final long STEP = 20_000;

  /** The bytes of a request for a share and of its reply, as Redis counts them. */
  private static final int BYTES = 340;

  private RegionPlanner() {}

  /** Returns a table of the messages to home, as Markdown. */
  static String table() {
    var text = new StringBuilder();
    text.append("| regions | checks a second in each | hot counters | of the limit requested |");
    text.append(" messages a second at home | kB a second at home | admitted | over |\n");
    text.append("|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    int[] regions = {3, 20, 20, 20};
    int[] counters = {1, 1, 100, 100};
    double[] load = {0.8, 0.8, 0.8, 2};
    for (int i = 0; i < regions.length; i++) {
      text.append(row(regions[i], 1_000_000, counters[i], load[i]));
    }
    return text.toString();
  }

  private static String row(int regions, long perSecond, int counters, double load) {
    long offered = regions * perSecond / counters; // of one counter, a second
    var limit = TokenBucket.of(Workload.rate((long) (offered / load), SECOND));
    var rule = Rule.named("hot").match("user", "*").limit(limit).build();
    var world = new RegionWorld(1, regions, 1, RuleSet.of(rule), ShareTiming.DEFAULT, true);
    long seconds = 10;
    long cost = perSecond / counters * STEP / SECOND;
    for (int r = 0; r < regions; r++) {
      int region = r;
      for (long at = 0; at < seconds * SECOND; at += STEP) {
        // Regions don't request at the same moments.
        world.at(
            at + r * STEP / regions,
            () -> {
              for (int c = 0; c < counters; c++) world.request(region, "u" + c, cost);
            });
      }
    }
    world.runUntil(2 * SECOND);
    long messagesBefore = world.messages;
    long passedBefore = world.passed;
    world.runUntil(seconds * SECOND);
    double measured = seconds - 2;
    double messages = (world.messages - messagesBefore) / measured;
    double possible = Math.min((double) offered, offered / load) * counters * measured;
    long over = 0;
    for (var admitted : world.admitted().values()) {
      over = Math.max(over, AdmissionBounds.excess(limit, admitted));
    }
    return String.format(
        Locale.ROOT,
        "| %d | %,d | %d | %.0f%% | %,.0f | %,.0f | %.1f%% | %d |%n",
        regions,
        perSecond,
        counters,
        100 * load,
        messages,
        messages * BYTES / 1_000,
        100 * (world.passed - passedBefore) / possible,
        over);
  }
}
