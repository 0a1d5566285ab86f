package io.headgate.benchmarks;

import io.headgate.rule.Consistency;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What each consistency admits of the same traffic, beside what the limit's arithmetic admits. */
final class Accuracy {
  private static final long SEED = 20_260_101;

  /**
   * What is tried.
   *
   * @param warmUps how many trials are thrown away first, for what is compiled meanwhile
   */
  record Plan(List<Trial> trials, int warmUps) {
    static Plan of(Effort effort) {
      var trials = new ArrayList<Trial>();
      switch (effort) {
        case QUICK -> {
          var time = Duration.ofSeconds(2);
          add(trials, 2, Traffic.OVERLOAD, DivisibleLimit.TOKEN_BUCKET, time);
          add(trials, 2, Traffic.ZIPF_MINUTE, DivisibleLimit.TOKEN_BUCKET, time);
          add(trials, 5, Traffic.OVERLOAD, DivisibleLimit.SLIDING_WINDOW, time);
          add(trials, 5, Traffic.EDGES, DivisibleLimit.FIXED_WINDOW, time);
        }
        case FULL -> {
          var time = Duration.ofSeconds(3);
          for (int instances : List.of(2, 5, 10)) {
            for (var traffic : Traffic.values()) {
              for (var algorithm : DivisibleLimit.values()) {
                if (isTried(instances, traffic, algorithm)) {
                  add(trials, instances, traffic, algorithm, time);
                }
              }
            }
          }
        }
      }
      return new Plan(trials, 2);
    }

    /** With 5 instances everything; with 2 and 10 what shows how the number matters. */
    private static boolean isTried(int instances, Traffic traffic, DivisibleLimit algorithm) {
      return instances == 5
          || (algorithm == DivisibleLimit.TOKEN_BUCKET
              && (traffic == Traffic.OVERLOAD || traffic == Traffic.ZIPF_MINUTE));
    }

    private static void add(
        List<Trial> trials, int instances, Traffic traffic, DivisibleLimit way, Duration time) {
      for (var consistency : Consistency.values()) {
        trials.add(new Trial(instances, traffic, way, consistency, traffic.lasting(time)));
      }
    }
  }

  private final Progress progress;
  private final Plan plan;

  private Accuracy(Progress progress, Plan plan) {
    this.progress = progress;
    this.plan = plan;
  }

  static String report(Lab lab) throws Exception {
    if (!Redis.isInstalled()) {
      throw new IllegalStateException(
          "redis-server is needed; install it (Debian's package: redis-server) and try again");
    }
    var results = results(lab.progress(), Plan.of(lab.effort()));
    Files.writeString(
        lab.root().resolve("benchmarks/results/accuracy.svg"), AccuracyPicture.svg(results));
    return AccuracyReport.of(results) + "\n" + Near.report(lab);
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
    var all = new ArrayList<Trial>();
    for (int i = 0; i < plan.warmUps; i++) all.add(trials.get(i % trials.size()));
    all.addAll(trials);
    var results = new ArrayList<TrialResult>();
    prepare(fleet, all.getFirst());
    for (int i = 0; i < all.size(); i++) {
      if (i + 1 < all.size()) prepare(fleet, all.get(i + 1));
      var result = TrialResult.of(all.get(i), fleet.go());
      if (i < plan.warmUps) continue;
      progress.say("    " + AccuracyReport.line(result));
      results.add(result);
    }
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
