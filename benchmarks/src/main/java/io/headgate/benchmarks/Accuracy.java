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

/** What each consistency admits of the same traffic, beside what the limit's arithmetic admits. */
final class Accuracy {
  private static final long SEED = 20_260_101;
  private static final Duration WARM_UP = Duration.ofMillis(1_500);
  private static final int MOST_RETRIES = 5;

  /**
   * What is tried.
   *
   * @param warmUps how often instances are asked in vain first, for what is compiled meanwhile
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
          if (isTried(instances, traffic, algorithm)) {
            add(trials, instances, traffic, algorithm, time);
          }
        }
      }
    }

    /** With 5 instances everything; with 2 and 10 what shows how the number matters. */
    private static boolean isTried(int instances, Traffic traffic, HoldableLimit algorithm) {
      return instances == 5
          || (algorithm == HoldableLimit.TOKEN_BUCKET
              && (traffic == Traffic.OVERLOAD || traffic == Traffic.ZIPF_MINUTE));
    }

    /** Automatic is leased while it is hot, so it is shown with one limit only. */
    private static void add(
        List<Trial> trials, int instances, Traffic traffic, HoldableLimit way, Duration time) {
      for (var consistency : Consistency.values()) {
        if (consistency == Consistency.AUTO && way != HoldableLimit.TOKEN_BUCKET) continue;
        var lasting = traffic.lasting(instances, time);
        trials.add(new Trial(instances, traffic, way, consistency, lasting));
      }
    }
  }

  private final Progress progress;
  private final Plan plan;

  private Accuracy(Progress progress, Plan plan) {
    this.progress = progress;
    this.plan = plan;
  }

  static String report(BenchmarkContext lab) throws Exception {
    if (!Redis.isInstalled()) {
      throw new IllegalStateException(
          "redis-server is needed; install it (Debian's package: redis-server) and try again");
    }
    var results = results(lab.progress(), Plan.of(lab.effort()));
    Files.writeString(
        lab.root().resolve("benchmarks/results/accuracy.svg"), AccuracyPicture.svg(results));
    return AccuracyReport.of(results) + "\n" + ConsistencyModes.report(lab);
  }

  static List<TrialResult> results(Progress progress, Plan plan) throws IOException {
    return new Accuracy(progress, plan).results();
  }

  private List<TrialResult> results() throws IOException {
    var results = new ArrayList<TrialResult>();
    var directory = Files.createTempDirectory("headgate-accuracy");
    try (var server = RedisServer.start()) {
      for (int size : plan.trials.stream().map(Trial::instances).distinct().toList()) {
        var own = plan.trials.stream().filter(trial -> trial.instances() == size).toList();
        progress.say("  %d instances: %d trials".formatted(size, own.size()));
        try (var fleet = new ReplayFleet(server, size, directory)) {
          results.addAll(results(fleet, own));
        }
      }
    } finally {
      delete(directory);
    }
    return results;
  }

  /** The next is prepared before one begins, so that instances know of each other by then. */
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
        // Not what was to be measured: the machine was too busy for it.
        if (++retries > MOST_RETRIES) throw new IllegalStateException("Redis was away: " + trial);
        progress.say("    once more, since Redis was away: " + trial);
        if (all.isEmpty()) prepare(fleet, trial);
        all.addLast(trial);
        continue;
      }
      var result = TrialResult.of(trial, logs);
      progress.say("    " + AccuracyReport.line(result));
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
