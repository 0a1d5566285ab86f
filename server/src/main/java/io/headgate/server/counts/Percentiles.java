package io.headgate.server.counts;

import java.util.OptionalLong;

/** How long checks took, in nanoseconds; empty if there were none. */
public record Percentiles(OptionalLong p50, OptionalLong p90, OptionalLong p99, OptionalLong max) {
  static final Percentiles NONE =
      new Percentiles(
          OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());

  public static Percentiles of(LatencyHistogram times) {
    if (times.isEmpty()) return NONE;
    return new Percentiles(
        OptionalLong.of(times.percentile(0.5)),
        OptionalLong.of(times.percentile(0.9)),
        OptionalLong.of(times.percentile(0.99)),
        OptionalLong.of(times.longest()));
  }
}
