package io.headgate.benchmarks;

import io.headgate.limit.Holdable;
import io.headgate.rule.Consistency;
import java.time.Duration;
import java.util.List;

/** A trial: a traffic pattern, a limit, a consistency mode and a number of instances. */
record Trial(
    int instances,
    Traffic traffic,
    HoldableLimit algorithm,
    Consistency consistency,
    Duration time) {
  Holdable limit() {
    return algorithm.of(traffic.rate());
  }

  /** Encodes the trial for the command to an instance; {@link #of} decodes it. */
  String encode() {
    return String.join(" ", traffic.name(), algorithm.name(), consistency.name());
  }

  static Trial of(int instances, List<String> fields) {
    return new Trial(
        instances,
        Traffic.valueOf(fields.get(0)),
        HoldableLimit.valueOf(fields.get(1)),
        Consistency.valueOf(fields.get(2)),
        Duration.ZERO);
  }
}
