package io.headgate.benchmarks.regions;

import io.headgate.RateLimiter;
import io.headgate.benchmarks.Excess;
import io.headgate.benchmarks.Table;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.RegionSettings;
import io.headgate.rule.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Measures three regions that share a token bucket: the time of a check compared to a single
 * region, admissions under faults, and the time in which shares follow demand.
 */
public final class RegionBenchmark {
  private static final int RATE = 200;
  private static final long BURST = 200;
  private static final TokenBucket LIMIT = TokenBucket.of(Rate.perSecond(RATE)).withBurst(BURST);
  private static final int[] OVERLOAD = {200, 200, 200};

  private interface Fault {
    void run(RegionFleet fleet) throws InterruptedException;
  }

  private final long millis;

  private RegionBenchmark(long millis) {
    this.millis = millis;
  }

  /** Runs the measurements and returns the report as Markdown. */
  public static String report(boolean full) throws Exception {
    var benchmark = new RegionBenchmark(full ? 20_000 : 8_000);
    return benchmark.latency() + "\n" + benchmark.faults() + "\n" + benchmark.rebalancing();
  }

  private static Rule.Builder rule(long perSecond, long burst) {
    return Rule.named("shared")
        .match("user", "*")
        .limit(TokenBucket.of(Rate.perSecond(perSecond)).withBurst(burst));
  }

  private String latency() throws Exception {
    var table = new Table("µs of a check", "p50", "p99", "p99, ratio");
    int[] rate = {300};
    double single;
    var plain = rule(10_000, 10_000).build();
    try (var fleet = new RegionFleet(plain)) {
      var options =
          RedisOptions.builder(fleet.regional(0).uri())
              .prefix("single:")
              .deadline(Duration.ofSeconds(5))
              .build();
      try (var limiter = RateLimiter.with(RedisStore.connect(options), List.of(plain))) {
        RegionTraffic.run(rate, 2_000, region -> limiter, () -> {}); // warm-up
        var result = RegionTraffic.run(rate, millis, region -> limiter, () -> {}).getFirst();
        single = result.percentile(0.99);
        table.row("single region, strict", micros(result, 0.5), micros(result, 0.99), "1.00");
      }
      for (int r = 0; r < RegionFleet.NAMES.size(); r++) {
        row(table, fleet, r, "share", single);
      }
    }
    var split = new RegionSettings(Optional.empty(), Map.of("eu", 300, "us", 300, "ap", 400));
    try (var fleet = new RegionFleet(rule(10_000, 10_000).regions(split).build())) {
      row(table, fleet, 2, "split", single);
    }
    return "**The time of a check.** One caller with 300 checks a second, all within the limit:\n\n"
        + table;
  }

  private void row(Table table, RegionFleet fleet, int region, String what, double single)
      throws Exception {
    int[] rate = {300};
    RegionTraffic.run(rate, 2_000, unused -> fleet.limiter(region), () -> {}); // warm-up
    var result =
        RegionTraffic.run(rate, millis, unused -> fleet.limiter(region), () -> {}).getFirst();
    table.row(
        "%s, %s".formatted(RegionFleet.NAMES.get(region), what),
        micros(result, 0.5),
        micros(result, 0.99),
        String.format(Locale.ROOT, "%.2f", result.percentile(0.99) / single));
  }

  private static String micros(RegionTraffic.Result result, double share) {
    return String.format(Locale.ROOT, "%.0f", result.percentile(share));
  }

  private String faults() throws Exception {
    var table =
        new Table("fault", "over-admitted", "admitted of the limit", "messages to home a second");
    long part = millis / 4;
    fault(table, "none", fleet -> {});
    fault(
        table,
        "ap is cut off for half of the time",
        fleet -> {
          pause(part);
          fleet.cutOff(2);
          pause(2 * part);
          fleet.restore(2);
        });
    fault(
        table,
        "the instance of us crashes",
        fleet -> {
          pause(part);
          fleet.crash(1);
        });
    fault(
        table,
        "home is killed and restarts empty",
        fleet -> {
          pause(part);
          fleet.restartHomeEmpty();
        });
    return """
    **Faults.** 200 permits a second with a burst of 200, 200 checks a second in each of three regions for %d s, leases of %d s:

    %s"""
        .formatted(millis / 1_000, RegionFleet.LEASE.toSeconds(), table);
  }

  private static void pause(long millis) throws InterruptedException {
    Thread.sleep(millis);
  }

  private void fault(Table table, String name, Fault fault) throws Exception {
    try (var fleet = new RegionFleet(rule(RATE, BURST).build())) {
      long start = System.nanoTime();
      var results =
          RegionTraffic.run(
              OVERLOAD,
              millis,
              fleet::limiter,
              () -> {
                try {
                  fault.run(fleet);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      double seconds = (System.nanoTime() - start) / 1e9;
      var admitted = RegionTraffic.merged(results);
      table.row(
          name,
          Long.toString(Math.max(0, Excess.of(LIMIT, admitted))),
          String.format(Locale.ROOT, "%.0f%%", 100.0 * admitted.size() / (BURST + RATE * seconds)),
          String.format(Locale.ROOT, "%.1f", fleet.homeRequests() / seconds));
    }
  }

  /** Moves all demand from the first region to the last, and waits for nine tenths of the rate. */
  private String rebalancing() throws Exception {
    try (var fleet = new RegionFleet(rule(RATE, BURST).build())) {
      RegionTraffic.run(new int[] {400, 0, 0}, millis, fleet::limiter, () -> {});
      long moved = System.nanoTime();
      var after = RegionTraffic.run(new int[] {0, 0, 400}, millis, fleet::limiter, () -> {});
      long[] admitted =
          RegionTraffic.merged(after).stream().mapToLong(Excess.Interval::to).sorted().toArray();
      String time = "not reached";
      for (int i = RATE / 2; i < admitted.length; i++) {
        if (admitted[i] - admitted[i - RATE / 2] <= 0.5e6 / 0.9) {
          time = String.format(Locale.ROOT, "%.1f s", (admitted[i] - moved / 1_000) / 1e6);
          break;
        }
      }
      return """
      **Demand moves** from eu to ap, 400 checks a second against 200 a second: ap admits nine tenths of the rate over half a second after %s,
      which includes that half second.
      """
          .formatted(time);
    }
  }
}
