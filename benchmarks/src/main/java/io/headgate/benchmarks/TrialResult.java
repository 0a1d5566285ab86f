package io.headgate.benchmarks;

import io.headgate.benchmarks.Excess.Interval;
import io.headgate.consistency.ConsistencyOptions;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.State;
import io.headgate.rule.Consistency;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What came of a trial.
 *
 * @param oracle how many the limit's own arithmetic admits of the same arrivals, one after another
 * @param over by how much the fullest span of any caller was fuller than the limit allows, in
 *     permits; less than 0 if there was room
 * @param under how many fewer were admitted than by the oracle, over all callers who had fewer
 * @param promised how much an eventual limit may be over: what is offered to one caller's counter
 *     between two reports
 * @param late microseconds that all but 1% of requests were at most behind their time
 */
record TrialResult(
    Trial trial,
    int offered,
    int admitted,
    int oracle,
    long over,
    int under,
    long promised,
    double questions,
    double calls,
    double p50,
    double p99,
    double cpu,
    int late,
    int uncertainty) {

  private record Seen(ReplayLog.Entry entry, int uncertainty) {
    Interval interval() {
      long answered = entry.asked() + Math.ceilDiv(entry.took(), 1_000) + 1;
      return new Interval(entry.asked() - uncertainty, answered + uncertainty);
    }
  }

  static TrialResult of(Trial trial, List<ReplayLog> logs) {
    var all = new ArrayList<Seen>();
    for (var log : logs) {
      for (var entry : log.entries()) all.add(new Seen(entry, log.uncertainty()));
    }
    all.sort(Comparator.comparingLong(seen -> seen.entry.asked()));
    var limit = trial.limit();
    Map<Integer, List<Seen>> callers = new HashMap<>();
    for (var seen : all) {
      callers.computeIfAbsent(seen.entry.caller(), caller -> new ArrayList<>()).add(seen);
    }
    int admitted = 0;
    int oracle = 0;
    int under = 0;
    long over = Long.MIN_VALUE;
    long promised = 0;
    for (var own : callers.values()) {
      var passed = own.stream().filter(seen -> seen.entry.allowed()).map(Seen::interval).toList();
      int expected = oracle(limit, own);
      admitted += passed.size();
      oracle += expected;
      under += Math.max(0, expected - passed.size());
      long excess = Excess.of(limit, passed);
      if (excess > over) {
        over = excess;
        promised = trial.consistency() == Consistency.EVENTUAL ? betweenReports(own) : 0;
      }
    }
    double n = all.size();
    var took = all.stream().mapToLong(seen -> seen.entry.took()).sorted().toArray();
    var late = all.stream().mapToInt(seen -> seen.entry.late()).sorted().toArray();
    return new TrialResult(
        trial,
        all.size(),
        admitted,
        oracle,
        over,
        under,
        promised,
        logs.stream().mapToLong(ReplayLog::questions).sum() / n,
        logs.stream().mapToLong(ReplayLog::calls).sum() / n,
        took[took.length / 2] / 1e3,
        took[(int) (took.length * 0.99)] / 1e3,
        logs.stream().mapToLong(ReplayLog::cpu).sum() / n / 1e3,
        late[(int) (late.length * 0.99)],
        logs.stream().mapToInt(ReplayLog::uncertainty).max().orElse(0));
  }

  private static int oracle(Holdable limit, List<Seen> arrivals) {
    State state = State.FRESH;
    int passed = 0;
    for (var seen : arrivals) {
      var step = limit.step(state, seen.entry.asked(), 1);
      state = step.state();
      if (step.outcome() instanceof Passed) passed++;
    }
    return passed;
  }

  /** The most requests within any interval between two reports. */
  private static long betweenReports(List<Seen> arrivals) {
    long interval = ConsistencyOptions.DEFAULT.syncInterval().toNanos() / 1_000;
    long most = 0;
    int first = 0;
    for (int last = 0; last < arrivals.size(); last++) {
      long now = arrivals.get(last).entry.asked();
      while (now - arrivals.get(first).entry.asked() >= interval) first++;
      most = Math.max(most, last - first + 1L);
    }
    return most;
  }

  /** The fullest span, as a part of what the limit allows in it. */
  double fullest() {
    return 1 + (double) over / trial.limit().capacity();
  }

  double admittedShare() {
    return (double) admitted / oracle;
  }

  double underShare() {
    return (double) under / oracle;
  }
}
