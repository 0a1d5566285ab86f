package io.headgate.benchmarks.cluster;

import io.headgate.benchmarks.Callers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * The figures of one turn of the callers of one process, or of several at the same time.
 *
 * @param decisions the number of decisions
 * @param passed the number of these that allowed the request
 * @param nanos the time that the slowest process took
 * @param cpu the CPU time of the processes, in nanoseconds
 * @param latencies of the callers, in nanoseconds
 */
record SpeedTurn(long decisions, long passed, long nanos, long cpu, Histogram latencies) {
  private static final int PRECISION = 2;

  static SpeedTurn of(Callers.Outcome outcome, Duration cpu) {
    return new SpeedTurn(
        outcome.decisions(),
        outcome.passed(),
        outcome.took().toNanos(),
        cpu.toNanos(),
        outcome.latencies());
  }

  /** Adds up the turns of processes that ran at the same time. */
  static SpeedTurn together(List<SpeedTurn> turns) {
    var latencies = new Histogram(PRECISION);
    for (var turn : turns) latencies.add(turn.latencies);
    return new SpeedTurn(
        turns.stream().mapToLong(SpeedTurn::decisions).sum(),
        turns.stream().mapToLong(SpeedTurn::passed).sum(),
        turns.stream().mapToLong(SpeedTurn::nanos).max().orElseThrow(),
        turns.stream().mapToLong(SpeedTurn::cpu).sum(),
        latencies);
  }

  SpeedTurn plusCpu(double micros) {
    return new SpeedTurn(decisions, passed, nanos, cpu + (long) (micros * 1e3), latencies);
  }

  double perSecond() {
    return decisions * 1e9 / nanos;
  }

  double cpuMicros() {
    return cpu / 1e3 / decisions;
  }

  double micros(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1e3;
  }

  String encode() {
    var bytes = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
    int length = latencies.encodeIntoCompressedByteBuffer(bytes);
    var histogram =
        Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(bytes.array(), length));
    return "%d %d %d %d %s".formatted(decisions, passed, nanos, cpu, histogram);
  }

  static SpeedTurn decode(String line) {
    var words = line.split(" ", -1);
    try {
      return new SpeedTurn(
          Long.parseLong(words[0]),
          Long.parseLong(words[1]),
          Long.parseLong(words[2]),
          Long.parseLong(words[3]),
          Histogram.decodeFromCompressedByteBuffer(
              ByteBuffer.wrap(Base64.getDecoder().decode(words[4])), 0));
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("a member wrote " + line, e);
    }
  }
}
