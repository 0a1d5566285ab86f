package io.headgate.server.counts;

import java.util.OptionalLong;

/** Latency percentiles in nanoseconds, empty if there were no checks. */
public record Percentiles(OptionalLong p50, OptionalLong p90, OptionalLong p99, OptionalLong max) {
  static final Percentiles NONE =
      new Percentiles(
          OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());

  /** Computes the percentiles of a histogram. */
  public static Percentiles of(LatencyHistogram histogram) {
    if (histogram.isEmpty()) return NONE;
    return new Percentiles(
        OptionalLong.of(histogram.percentile(50)),
        OptionalLong.of(histogram.percentile(90)),
        OptionalLong.of(histogram.percentile(99)),
        OptionalLong.of(histogram.max()));
  }
}
