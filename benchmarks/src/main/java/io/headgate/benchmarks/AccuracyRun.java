package io.headgate.benchmarks;

import io.headgate.limit.Holdable;
import io.headgate.rule.Consistency;
import java.time.Duration;
import java.util.List;

/** A run: a traffic pattern, a limit, a consistency mode and a number of instances. */
record AccuracyRun(
    int instances,
    TrafficPattern traffic,
    HoldableLimit algorithm,
    Consistency consistency,
    Duration time) {
  Holdable limit() {
    return algorithm.of(traffic.rate());
  }

  /** Encodes the run for the command to an instance; {@link #of} decodes it. */
  String encode() {
    return String.join(" ", traffic.name(), algorithm.name(), consistency.name());
  }

  static AccuracyRun of(int instances, List<String> fields) {
    return new AccuracyRun(
        instances,
        TrafficPattern.valueOf(fields.get(0)),
        HoldableLimit.valueOf(fields.get(1)),
        Consistency.valueOf(fields.get(2)),
        Duration.ZERO);
  }
}
