package io.headgate.benchmarks;

import io.headgate.benchmarks.Excess.Interval;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.State;
import io.headgate.rule.Consistency;
import io.headgate.store.ConsistencyOptions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of a run.
 *
 * @param oracle the admissions of the exact algorithm, run sequentially over the same arrivals
 * @param over by how many permits the fullest span of any caller exceeded the limit; negative if
 *     there were free permits
 * @param under the missing admissions compared to the oracle, summed over the callers with fewer
 * @param bound the permitted excess of an eventual limit: the requests of one caller within a sync
 *     interval
 * @param late the 99th percentile of the delay of requests behind their time, in microseconds
 */
record AccuracyResult(
    AccuracyRun run,
    int offered,
    int admitted,
    int oracle,
    long over,
    int under,
    long bound,
    double commands,
    double calls,
    double p50,
    double p99,
    double cpu,
    int late,
    int uncertainty) {

  private record Observation(ReplayLog.Entry entry, int uncertainty) {
    Interval interval() {
      long repliedAt = entry.requestedAt() + Math.ceilDiv(entry.took(), 1_000) + 1;
      return new Interval(entry.requestedAt() - uncertainty, repliedAt + uncertainty);
    }
  }

  static AccuracyResult of(AccuracyRun run, List<ReplayLog> logs) {
    var all = new ArrayList<Observation>();
    for (var log : logs) {
      for (var entry : log.entries()) all.add(new Observation(entry, log.uncertainty()));
    }
    all.sort(Comparator.comparingLong(observation -> observation.entry.requestedAt()));
    var limit = run.limit();
    Map<Integer, List<Observation>> callers = new HashMap<>();
    for (var observation : all) {
      callers
          .computeIfAbsent(observation.entry.caller(), caller -> new ArrayList<>())
          .add(observation);
    }
    int admitted = 0;
    int oracle = 0;
    int under = 0;
    long over = Long.MIN_VALUE;
    long bound = 0;
    for (var requests : callers.values()) {
      var passed =
          requests.stream()
              .filter(observation -> observation.entry.allowed())
              .map(Observation::interval)
              .toList();
      int expected = oracle(limit, requests);
      admitted += passed.size();
      oracle += expected;
      under += Math.max(0, expected - passed.size());
      long excess = Excess.of(limit, passed);
      if (excess > over) {
        over = excess;
        bound = run.consistency() == Consistency.EVENTUAL ? maxPerSyncInterval(requests) : 0;
      }
    }
    double n = all.size();
    var took = all.stream().mapToLong(observation -> observation.entry.took()).sorted().toArray();
    var late = all.stream().mapToInt(observation -> observation.entry.late()).sorted().toArray();
    return new AccuracyResult(
        run,
        all.size(),
        admitted,
        oracle,
        over,
        under,
        bound,
        logs.stream().mapToLong(ReplayLog::commands).sum() / n,
        logs.stream().mapToLong(ReplayLog::calls).sum() / n,
        took[took.length / 2] / 1e3,
        took[(int) (took.length * 0.99)] / 1e3,
        logs.stream().mapToLong(ReplayLog::cpu).sum() / n / 1e3,
        late[(int) (late.length * 0.99)],
        logs.stream().mapToInt(ReplayLog::uncertainty).max().orElse(0));
  }

  private static int oracle(Holdable limit, List<Observation> arrivals) {
    State state = State.FRESH;
    int passed = 0;
    for (var observation : arrivals) {
      var step = limit.step(state, observation.entry.requestedAt(), 1);
      state = step.state();
      if (step.outcome() instanceof Passed) passed++;
    }
    return passed;
  }

  /** Returns the maximum number of requests within any sync interval. */
  private static long maxPerSyncInterval(List<Observation> arrivals) {
    long interval = ConsistencyOptions.DEFAULT.syncInterval().toNanos() / 1_000;
    long max = 0;
    int first = 0;
    for (int last = 0; last < arrivals.size(); last++) {
      long now = arrivals.get(last).entry.requestedAt();
      while (now - arrivals.get(first).entry.requestedAt() >= interval) first++;
      max = Math.max(max, last - first + 1L);
    }
    return max;
  }

  /** Returns the admissions of the fullest span relative to its limit. */
  double fullest() {
    return 1 + (double) over / run.limit().capacity();
  }

  double admittedShare() {
    return (double) admitted / oracle;
  }

  double underShare() {
    return (double) under / oracle;
  }
}
