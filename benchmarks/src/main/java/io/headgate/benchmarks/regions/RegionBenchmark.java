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
import java.util.ArrayList;
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
  private static final int TURNS = 5;
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
    var benchmark = new RegionBenchmark(full ? 30_000 : 10_000);
    return benchmark.latency() + "\n" + benchmark.faults() + "\n" + benchmark.rebalancing();
  }

  private static Rule.Builder rule(long perSecond, long burst) {
    return Rule.named("shared")
        .match("user", "*")
        .limit(TokenBucket.of(Rate.perSecond(perSecond)).withBurst(burst));
  }

  /**
   * Measures the variants in turns, so that other work on the machine affects all of them alike.
   */
  private String latency() throws Exception {
    var names =
        List.of("single region, strict", "eu, share", "us, share", "ap, share", "ap, split");
    var split = new RegionSettings(Optional.empty(), Map.of("eu", 300, "us", 300, "ap", 400));
    var plain = rule(10_000, 10_000).build();
    var times = new ArrayList<List<Double>>();
    var medians = new ArrayList<List<Double>>();
    for (int i = 0; i < names.size(); i++) {
      times.add(new ArrayList<>());
      medians.add(new ArrayList<>());
    }
    try (var fleet = new RegionFleet(plain);
        var splitFleet = new RegionFleet(rule(10_000, 10_000).regions(split).build());
        var single = RateLimiter.with(RedisStore.connect(options(fleet)), List.of(plain))) {
      var limiters =
          List.of(
              single, fleet.limiter(0), fleet.limiter(1), fleet.limiter(2), splitFleet.limiter(2));
      for (int turn = 0; turn <= TURNS; turn++) {
        for (int i = 0; i < limiters.size(); i++) {
          var limiter = limiters.get(i);
          // The first second is that of a share that follows new demand.
          RegionTraffic.run(new int[] {300}, 1_000, region -> limiter, () -> {});
          var result =
              RegionTraffic.run(new int[] {300}, millis / TURNS, region -> limiter, () -> {})
                  .getFirst();
          if (turn == 0) continue; // warm-up
          times.get(i).add(result.percentile(0.99));
          medians.get(i).add(result.percentile(0.5));
        }
      }
    }
    var table = new Table("µs of a check", "p50", "p99", "p99, ratio");
    for (int i = 0; i < names.size(); i++) {
      double ratio = median(times.get(i)) / median(times.getFirst());
      table.row(
          names.get(i),
          String.format(Locale.ROOT, "%.0f", median(medians.get(i))),
          String.format(Locale.ROOT, "%.0f", median(times.get(i))),
          String.format(Locale.ROOT, "%.2f", ratio));
    }
    return """
    **The time of a check.** One caller with 300 checks a second, all within the limit, medians of %d turns:

    %s\
    """
        .formatted(TURNS, table);
  }

  private static RedisOptions options(RegionFleet fleet) {
    return RedisOptions.builder(fleet.regional(0).uri())
        .prefix("single:")
        .deadline(Duration.ofSeconds(5))
        .build();
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
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

    %s\
    """
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
      for (int i = RATE; i < admitted.length; i++) {
        if (admitted[i] - admitted[i - RATE] <= 1e6 / 0.9) {
          time = String.format(Locale.ROOT, "%.1f s", (admitted[i] - moved / 1_000) / 1e6);
          break;
        }
      }
      return """
      **Demand moves** from eu to ap, 400 checks a second against 200 a second: ap admits nine tenths of the rate over a second after %s,
      which includes that second.
      """
          .formatted(time);
    }
  }
}
