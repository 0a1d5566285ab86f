package io.headgate.benchmarks;

import io.headgate.limit.Divisible;
import io.headgate.rule.Consistency;
import java.time.Duration;
import java.util.List;

/** One kind of traffic through one mode of one limit, by so many instances. */
record Trial(
    int instances,
    Traffic traffic,
    DivisibleLimit algorithm,
    Consistency consistency,
    Duration time) {
  Divisible limit() {
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
        DivisibleLimit.valueOf(words.get(1)),
        Consistency.valueOf(words.get(2)),
        Duration.ZERO);
  }
}
