package io.headgate.benchmarks.regions;

import io.headgate.benchmarks.Excess;
import io.headgate.benchmarks.Table;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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
    void run(RegionFleet fleet) throws IOException, InterruptedException;
  }

  private final Path jar;
  private final long millis;

  private RegionBenchmark(Path jar, long millis) {
    this.jar = jar;
    this.millis = millis;
  }

  /**
   * Runs the measurements and returns the report as Markdown.
   *
   * @param jar the packaged service
   */
  public static String report(Path jar, boolean full) throws Exception {
    var benchmark = new RegionBenchmark(jar, full ? 30_000 : 10_000);
    return benchmark.latency() + "\n" + benchmark.faults() + "\n" + benchmark.rebalancing();
  }

  private static String rules(long perSecond, long burst, String split) {
    return """
    rules:
      - id: shared
        match: { user: "*" }
        limit: { algorithm: token-bucket, rate: %d/1s, burst: %d }
    %s
    """
        .formatted(perSecond, burst, split);
  }

  /**
   * Measures the variants in turns, so that other work on the machine affects all of them alike.
   */
  private String latency() throws Exception {
    var names =
        List.of("single region, strict", "eu, share", "us, share", "ap, share", "ap, split");
    var plain = rules(10_000, 10_000, "");
    var split = rules(10_000, 10_000, "    split: { eu: 30%, us: 30%, ap: 40% }");
    var times = new ArrayList<List<Double>>();
    var medians = new ArrayList<List<Double>>();
    for (int i = 0; i < names.size(); i++) {
      times.add(new ArrayList<>());
      medians.add(new ArrayList<>());
    }
    try (var fleet = new RegionFleet(jar, plain);
        var splitFleet = new RegionFleet(jar, split);
        var single = fleet.startAlone(0)) {
      var processes =
          List.of(
              single, fleet.process(0), fleet.process(1), fleet.process(2), splitFleet.process(2));
      for (int turn = 0; turn <= TURNS; turn++) {
        for (int i = 0; i < processes.size(); i++) {
          var process = processes.get(i);
          // The first second is that of a share that follows new demand.
          RegionTraffic.run(new int[] {300}, 1_000, region -> process, () -> {});
          var result =
              RegionTraffic.run(new int[] {300}, millis / TURNS, region -> process, () -> {})
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
    **The time of a check** over HTTP, each region a process. One caller with 300 checks a second, all within the limit, medians of %d turns:

    %s\
    """
        .formatted(TURNS, table);
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  private String faults() throws Exception {
    var table =
        new Table(
            "fault",
            "over-admitted",
            "under-admitted",
            "admitted of the limit",
            "messages to home a second");
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
        "replies to us are lost for half of the time",
        fleet -> {
          pause(part);
          fleet.loseReplies(1);
          pause(2 * part);
          fleet.restore(1);
        });
    fault(
        table,
        "the process of us is killed and started again",
        fleet -> {
          pause(part);
          fleet.kill(1);
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
    try (var fleet = new RegionFleet(jar, rules(RATE, BURST, ""))) {
      long start = System.nanoTime();
      var results =
          RegionTraffic.run(
              OVERLOAD,
              millis,
              fleet::process,
              () -> {
                try {
                  fault.run(fleet);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      double seconds = (System.nanoTime() - start) / 1e9;
      var admitted = RegionTraffic.merged(results);
      double possible = BURST + RATE * seconds;
      table.row(
          name,
          Long.toString(Math.max(0, Excess.of(LIMIT, admitted))),
          String.format(Locale.ROOT, "%.0f", Math.max(0, possible - admitted.size())),
          String.format(Locale.ROOT, "%.0f%%", 100.0 * admitted.size() / possible),
          String.format(Locale.ROOT, "%.1f", fleet.homeRequests() / seconds));
    }
  }

  /** Moves all demand from the first region to the last, and waits for nine tenths of the rate. */
  private String rebalancing() throws Exception {
    try (var fleet = new RegionFleet(jar, rules(RATE, BURST, ""))) {
      RegionTraffic.run(new int[] {400, 0, 0}, millis, fleet::process, () -> {});
      long moved = System.nanoTime();
      var after = RegionTraffic.run(new int[] {0, 0, 400}, millis, fleet::process, () -> {});
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
