package io.headgate.benchmarks;

import io.headgate.rule.Consistency;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Compares the admissions of each consistency mode with those of the exact algorithm. */
final class Accuracy {
  private static final long SEED = 20_260_101;
  private static final Duration WARM_UP = Duration.ofMillis(1_500);
  private static final int MAX_RETRIES = 5;

  /**
   * The runs of a report.
   *
   * @param warmUps the number of unmeasured rounds before, in which the JIT compiles
   */
  record Plan(List<AccuracyRun> runs, int warmUps) {
    static Plan of(Effort effort) {
      var runs = new ArrayList<AccuracyRun>();
      switch (effort) {
        case QUICK -> {
          var time = Duration.ofSeconds(2);
          add(runs, 2, TrafficPattern.OVERLOAD, HoldableLimit.TOKEN_BUCKET, time);
          add(runs, 2, TrafficPattern.ZIPF_MINUTE, HoldableLimit.TOKEN_BUCKET, time);
          add(runs, 5, TrafficPattern.OVERLOAD, HoldableLimit.SLIDING_WINDOW, time);
          add(runs, 5, TrafficPattern.EDGES, HoldableLimit.FIXED_WINDOW, time);
        }
        case FULL -> {
          for (int instances : List.of(2, 5, 10)) addAll(runs, instances, Duration.ofSeconds(3));
        }
      }
      return new Plan(runs, 1);
    }

    private static void addAll(List<AccuracyRun> runs, int instances, Duration time) {
      for (var traffic : TrafficPattern.values()) {
        for (var algorithm : HoldableLimit.values()) {
          if (isMeasured(instances, traffic, algorithm)) {
            add(runs, instances, traffic, algorithm, time);
          }
        }
      }
    }

    /** Measures everything with 5 instances, and with 2 and 10 only the effect of their number. */
    private static boolean isMeasured(
        int instances, TrafficPattern traffic, HoldableLimit algorithm) {
      return instances == 5
          || (algorithm == HoldableLimit.TOKEN_BUCKET
              && (traffic == TrafficPattern.OVERLOAD || traffic == TrafficPattern.ZIPF_MINUTE));
    }

    /** Adds a run per mode. Auto is leased for hot keys, so one limit is enough for it. */
    private static void add(
        List<AccuracyRun> runs,
        int instances,
        TrafficPattern traffic,
        HoldableLimit algorithm,
        Duration time) {
      for (var consistency : Consistency.values()) {
        if (consistency == Consistency.AUTO && algorithm != HoldableLimit.TOKEN_BUCKET) continue;
        var duration = traffic.durationOf(instances, time);
        runs.add(new AccuracyRun(instances, traffic, algorithm, consistency, duration));
      }
    }
  }

  private final ProgressLog progress;
  private final Plan plan;

  private Accuracy(ProgressLog progress, Plan plan) {
    this.progress = progress;
    this.plan = plan;
  }

  static String report(BenchmarkContext context) throws Exception {
    if (!Redis.isInstalled()) {
      throw new IllegalStateException(
          "redis-server is needed; install it (Debian's package: redis-server) and try again");
    }
    var results = results(context.progress(), Plan.of(context.effort()));
    Files.writeString(
        context.root().resolve("benchmarks/results/accuracy.svg"), AccuracyPicture.svg(results));
    return AccuracyReport.of(results) + "\n" + ConsistencyModes.report(context);
  }

  static List<AccuracyResult> results(ProgressLog progress, Plan plan) throws IOException {
    return new Accuracy(progress, plan).results();
  }

  private List<AccuracyResult> results() throws IOException {
    var results = new ArrayList<AccuracyResult>();
    var directory = Files.createTempDirectory("headgate-accuracy");
    try (var server = RedisServer.start()) {
      for (int size : plan.runs.stream().map(AccuracyRun::instances).distinct().toList()) {
        var ofSize = plan.runs.stream().filter(run -> run.instances() == size).toList();
        progress.log("  %d instances: %d runs".formatted(size, ofSize.size()));
        try (var fleet = new ReplayFleet(server, size, directory)) {
          results.addAll(results(fleet, ofSize));
        }
      }
    } finally {
      delete(directory);
    }
    return results;
  }

  /** Prepares each run before the previous one runs, so that instances discover each other. */
  private List<AccuracyResult> results(ReplayFleet fleet, List<AccuracyRun> runs)
      throws IOException {
    var all = new ArrayDeque<AccuracyRun>();
    for (int i = 0; i < plan.warmUps; i++) {
      for (var consistency : List.of(Consistency.STRICT, Consistency.LEASED)) {
        var limit = HoldableLimit.TOKEN_BUCKET;
        all.add(
            new AccuracyRun(fleet.size(), TrafficPattern.OVERLOAD, limit, consistency, WARM_UP));
      }
    }
    int warmUps = all.size();
    all.addAll(runs);
    var results = new ArrayList<AccuracyResult>();
    int retries = 0;
    prepare(fleet, all.getFirst());
    while (!all.isEmpty()) {
      var run = all.removeFirst();
      if (!all.isEmpty()) prepare(fleet, all.getFirst());
      var logs = fleet.go();
      if (warmUps-- > 0) continue;
      if (logs.stream().anyMatch(log -> log.fallbacks() > 0)) {
        // The machine was too busy, so that the failure policy decided; repeat the run.
        if (++retries > MAX_RETRIES)
          throw new IllegalStateException("Redis was unavailable: " + run);
        progress.log("    repeating, since Redis was unavailable: " + run);
        if (all.isEmpty()) prepare(fleet, run);
        all.addLast(run);
        continue;
      }
      var result = AccuracyResult.of(run, logs);
      progress.log("    " + AccuracyReport.line(result));
      results.add(result);
    }
    results.sort(Comparator.comparingInt(result -> runs.indexOf(result.run())));
    return results;
  }

  private static void prepare(ReplayFleet fleet, AccuracyRun run) throws IOException {
    fleet.prepare(run, run.traffic().record(SEED, fleet.size(), run.time()));
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      for (var file : files.toList()) Files.delete(file);
    }
    Files.delete(directory);
  }
}
