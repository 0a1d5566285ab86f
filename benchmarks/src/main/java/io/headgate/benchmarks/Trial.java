package io.headgate.benchmarks;

import io.headgate.limit.Holdable;
import io.headgate.rule.Consistency;
import java.time.Duration;
import java.util.List;

/** One kind of traffic through one mode of one limit, by so many instances. */
record Trial(
    int instances,
    Traffic traffic,
    HoldableLimit algorithm,
    Consistency consistency,
    Duration time) {
  Holdable limit() {
    return algorithm.of(traffic.rate());
  }

  /** The words by which an instance is told of it. */
  String words() {
    return String.join(" ", traffic.name(), algorithm.name(), consistency.name());
  }

  static Trial of(int instances, List<String> words) {
    return new Trial(
        instances,
        Traffic.valueOf(words.get(0)),
        HoldableLimit.valueOf(words.get(1)),
        Consistency.valueOf(words.get(2)),
        Duration.ZERO);
  }
}
