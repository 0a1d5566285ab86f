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
   * The trials of a run.
   *
   * @param warmUps the number of unmeasured rounds before, in which the JIT compiles
   */
  record Plan(List<Trial> trials, int warmUps) {
    static Plan of(Effort effort) {
      var trials = new ArrayList<Trial>();
      switch (effort) {
        case QUICK -> {
          var time = Duration.ofSeconds(2);
          add(trials, 2, Traffic.OVERLOAD, HoldableLimit.TOKEN_BUCKET, time);
          add(trials, 2, Traffic.ZIPF_MINUTE, HoldableLimit.TOKEN_BUCKET, time);
          add(trials, 5, Traffic.OVERLOAD, HoldableLimit.SLIDING_WINDOW, time);
          add(trials, 5, Traffic.EDGES, HoldableLimit.FIXED_WINDOW, time);
        }
        case FULL -> {
          for (int instances : List.of(2, 5, 10)) addAll(trials, instances, Duration.ofSeconds(3));
        }
      }
      return new Plan(trials, 1);
    }

    private static void addAll(List<Trial> trials, int instances, Duration time) {
      for (var traffic : Traffic.values()) {
        for (var algorithm : HoldableLimit.values()) {
          if (isMeasured(instances, traffic, algorithm)) {
            add(trials, instances, traffic, algorithm, time);
          }
        }
      }
    }

    /** Measures everything with 5 instances, and with 2 and 10 only the effect of their number. */
    private static boolean isMeasured(int instances, Traffic traffic, HoldableLimit algorithm) {
      return instances == 5
          || (algorithm == HoldableLimit.TOKEN_BUCKET
              && (traffic == Traffic.OVERLOAD || traffic == Traffic.ZIPF_MINUTE));
    }

    /** Adds a trial per mode. Auto is leased for hot keys, so one limit is enough for it. */
    private static void add(
        List<Trial> trials,
        int instances,
        Traffic traffic,
        HoldableLimit algorithm,
        Duration time) {
      for (var consistency : Consistency.values()) {
        if (consistency == Consistency.AUTO && algorithm != HoldableLimit.TOKEN_BUCKET) continue;
        var duration = traffic.durationOf(instances, time);
        trials.add(new Trial(instances, traffic, algorithm, consistency, duration));
      }
    }
  }

  private final Progress progress;
  private final Plan plan;

  private Accuracy(Progress progress, Plan plan) {
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

  static List<TrialResult> results(Progress progress, Plan plan) throws IOException {
    return new Accuracy(progress, plan).results();
  }

  private List<TrialResult> results() throws IOException {
    var results = new ArrayList<TrialResult>();
    var directory = Files.createTempDirectory("headgate-accuracy");
    try (var server = RedisServer.start()) {
      for (int size : plan.trials.stream().map(Trial::instances).distinct().toList()) {
        var ofSize = plan.trials.stream().filter(trial -> trial.instances() == size).toList();
        progress.log("  %d instances: %d trials".formatted(size, ofSize.size()));
        try (var fleet = new ReplayFleet(server, size, directory)) {
          results.addAll(results(fleet, ofSize));
        }
      }
    } finally {
      delete(directory);
    }
    return results;
  }

  /** Prepares each trial before the previous one runs, so that instances discover each other. */
  private List<TrialResult> results(ReplayFleet fleet, List<Trial> trials) throws IOException {
    var all = new ArrayDeque<Trial>();
    for (int i = 0; i < plan.warmUps; i++) {
      for (var consistency : List.of(Consistency.STRICT, Consistency.LEASED)) {
        var limit = HoldableLimit.TOKEN_BUCKET;
        all.add(new Trial(fleet.size(), Traffic.OVERLOAD, limit, consistency, WARM_UP));
      }
    }
    int warmUps = all.size();
    all.addAll(trials);
    var results = new ArrayList<TrialResult>();
    int retries = 0;
    prepare(fleet, all.getFirst());
    while (!all.isEmpty()) {
      var trial = all.removeFirst();
      if (!all.isEmpty()) prepare(fleet, all.getFirst());
      var logs = fleet.go();
      if (warmUps-- > 0) continue;
      if (logs.stream().anyMatch(log -> log.fallbacks() > 0)) {
        // The machine was too busy, so that the failure policy decided; repeat the trial.
        if (++retries > MAX_RETRIES)
          throw new IllegalStateException("Redis was unavailable: " + trial);
        progress.log("    repeating, since Redis was unavailable: " + trial);
        if (all.isEmpty()) prepare(fleet, trial);
        all.addLast(trial);
        continue;
      }
      var result = TrialResult.of(trial, logs);
      progress.log("    " + AccuracyReport.line(result));
      results.add(result);
    }
    results.sort(Comparator.comparingInt(result -> trials.indexOf(result.trial())));
    return results;
  }

  private static void prepare(ReplayFleet fleet, Trial trial) throws IOException {
    fleet.prepare(trial, trial.traffic().record(SEED, fleet.size(), trial.time()));
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      for (var file : files.toList()) Files.delete(file);
    }
    Files.delete(directory);
  }
}
