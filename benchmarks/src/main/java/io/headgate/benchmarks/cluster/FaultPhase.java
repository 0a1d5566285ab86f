package io.headgate.benchmarks.cluster;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * The checks of one phase: before, during or after a fault.
 *
 * @param latencies of all checks, in nanoseconds
 * @param fallback the number of checks that a failure policy decided
 * @param errors the number of exceptions that callers received
 */
record FaultPhase(Histogram latencies, long fallback, long errors) {
  private static final int PRECISION = 2;

  static FaultPhase together(List<FaultPhase> phases) {
    var latencies = new Histogram(PRECISION);
    for (var phase : phases) latencies.add(phase.latencies);
    return new FaultPhase(
        latencies,
        phases.stream().mapToLong(FaultPhase::fallback).sum(),
        phases.stream().mapToLong(FaultPhase::errors).sum());
  }

  long checks() {
    return latencies.getTotalCount();
  }

  String encode() {
    var bytes = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
    int length = latencies.encodeIntoCompressedByteBuffer(bytes);
    return "%d %d %s"
        .formatted(
            fallback,
            errors,
            Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length)));
  }

  static FaultPhase decode(String fallback, String errors, String histogram) {
    try {
      return new FaultPhase(
          Histogram.decodeFromCompressedByteBuffer(
              ByteBuffer.wrap(Base64.getDecoder().decode(histogram)), 0),
          Long.parseLong(fallback),
          Long.parseLong(errors));
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("a member wrote " + histogram, e);
    }
  }

  /** Returns the median, the 99th percentile and the maximum in milliseconds. */
  @Override
  public String toString() {
    if (checks() == 0) return "–";
    return millis(50) + " / " + millis(99) + " / " + millis(100);
  }

  private String millis(double percentile) {
    double millis = latencies.getValueAtPercentile(percentile) / 1e6;
    return String.format(Locale.ROOT, millis < 10 ? "%.1f" : "%,.0f", millis);
  }
}
