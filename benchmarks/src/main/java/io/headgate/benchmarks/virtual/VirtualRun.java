package io.headgate.benchmarks.virtual;

import io.headgate.benchmarks.Excess;
import io.headgate.benchmarks.Excess.Interval;
import io.headgate.benchmarks.HoldableLimit;
import io.headgate.benchmarks.RecordedArrivals.Arrival;
import io.headgate.benchmarks.TrafficPattern;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.State;
import io.headgate.rule.Consistency;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.PlanResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A run of recorded traffic through instances in virtual time.
 *
 * @param instances the number of instances
 * @param time the length of the run
 */
record VirtualRun(
    int instances,
    TrafficPattern traffic,
    HoldableLimit algorithm,
    Consistency consistency,
    Duration time) {
  private static final long SEED = 20_260_101;
  private static final long SETTLE = 10_000; // for the replies to the last requests

  /**
   * The result of a run.
   *
   * @param oracle the admissions of the exact algorithm, run sequentially over the same arrivals
   * @param under the missing admissions compared to the oracle, summed over the callers with fewer
   * @param over by how many permits the fullest span of any caller exceeded the limit; negative if
   *     there were free permits
   * @param commands the commands sent to the store
   */
  record Result(
      VirtualRun run, int offered, int admitted, int oracle, int under, long over, long commands) {
    double admittedShare() {
      return (double) admitted / oracle;
    }

    double wronglyDenied() {
      return (double) under / oracle;
    }

    double commandsPerCheck() {
      return (double) commands / offered;
    }
  }

  private record Caller(List<Long> arrivals, List<Interval> passed) {}

  Holdable limit() {
    return algorithm.of(traffic.rate());
  }

  Result measure() {
    var limit = limit();
    var rule = Rule.named("r").match("key", "*").limit(limit).consistency(consistency).build();
    var rules = RuleSet.of(rule);
    var fleet = new VirtualFleet(instances);
    var callers = new ArrayList<Caller>();
    var subjects = new ArrayList<Subject>();
    for (int i = 0; i < traffic.callers; i++) {
      callers.add(new Caller(new ArrayList<>(), new ArrayList<>()));
      subjects.add(Subject.of("caller-" + i));
    }
    var arrivals = traffic.record(SEED, instances, time).arrivals();
    for (Arrival arrival : arrivals) {
      long at = fleet.start() + arrival.at();
      fleet.runUntil(at);
      var caller = callers.get(arrival.caller());
      caller.arrivals.add(at);
      var plan = rules.plan(Request.of(subjects.get(arrival.caller()), 1), at, 0);
      var unused =
          fleet
              .decide(arrival.instance(), plan)
              .thenAccept(result -> {
                if (passed(result)) caller.passed.add(new Interval(at, fleet.now()));
              });
    }
    fleet.runUntil(fleet.start() + time.toNanos() / 1_000 + SETTLE);
    return result(limit, arrivals.size(), callers, fleet.commands());
  }

  private static boolean passed(PlanResult result) {
    return result.first() instanceof Passed;
  }

  private Result result(Holdable limit, int offered, List<Caller> callers, long commands) {
    int admitted = 0;
    int oracle = 0;
    int under = 0;
    long over = Long.MIN_VALUE;
    for (var caller : callers) {
      int expected = oracle(limit, caller.arrivals);
      admitted += caller.passed.size();
      oracle += expected;
      under += Math.max(0, expected - caller.passed.size());
      over = Math.max(over, Excess.of(limit, caller.passed));
    }
    return new Result(this, offered, admitted, oracle, under, over, commands);
  }

  private static int oracle(Holdable limit, List<Long> arrivals) {
    State state = State.FRESH;
    int passed = 0;
    for (long at : arrivals) {
      var step = limit.step(state, at, 1);
      state = step.state();
      if (step.outcome() instanceof Passed) passed++;
    }
    return passed;
  }
}
