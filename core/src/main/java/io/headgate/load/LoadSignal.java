package io.headgate.load;

import java.time.Duration;
import java.util.OptionalDouble;

/**
 * The load of a backend as one of its instances reports it. Every figure is optional; a rule uses
 * the one that its {@code signal} names.
 *
 * @param utilization the share of the workers that are busy, from 0 to 1; higher values count as 1
 * @param inFlight the requests in progress; meaningful together with {@code capacity}
 * @param capacity the requests that the instance can process at a time. Also its weight among the
 *     instances of the backend, which is 1 without it
 * @param queueWaitMs the time that requests wait before they are processed, in milliseconds
 * @param latencyMs the time in which requests are answered, in milliseconds
 * @param errors the share of the requests that fail, from 0 to 1; higher values count as 1
 */
public record LoadSignal(
    OptionalDouble utilization,
    OptionalDouble inFlight,
    OptionalDouble capacity,
    OptionalDouble queueWaitMs,
    OptionalDouble latencyMs,
    OptionalDouble errors) {
  /** A signal without any figure, to start from. */
  public static final LoadSignal NONE =
      new LoadSignal(
          OptionalDouble.empty(),
          OptionalDouble.empty(),
          OptionalDouble.empty(),
          OptionalDouble.empty(),
          OptionalDouble.empty(),
          OptionalDouble.empty());

  /**
   * Validates the figures.
   *
   * @throws IllegalArgumentException if a figure is negative, not a number or infinite, or the
   *     capacity is 0
   */
  public LoadSignal {
    require("utilization", utilization);
    require("inFlight", inFlight);
    require("capacity", capacity);
    require("queueWaitMs", queueWaitMs);
    require("latencyMs", latencyMs);
    require("errors", errors);
    if (capacity.isPresent() && capacity.getAsDouble() == 0) {
      throw new IllegalArgumentException(
          "capacity must be above 0, got 0; leave it out if it is unknown");
    }
  }

  /** Creates a signal of the share of the workers that are busy. */
  public static LoadSignal ofUtilization(double utilization) {
    return NONE.withUtilization(utilization);
  }

  /** Creates a signal of the time in which requests are answered. */
  public static LoadSignal ofLatency(Duration latency) {
    return NONE.withLatency(latency);
  }

  /** Returns this signal with a utilization. */
  public LoadSignal withUtilization(double value) {
    return new LoadSignal(
        OptionalDouble.of(value), inFlight, capacity, queueWaitMs, latencyMs, errors);
  }

  /** Returns this signal with the number of requests in progress. */
  public LoadSignal withInFlight(double value) {
    return new LoadSignal(
        utilization, OptionalDouble.of(value), capacity, queueWaitMs, latencyMs, errors);
  }

  /** Returns this signal with the number of requests that can be processed at a time. */
  public LoadSignal withCapacity(double value) {
    return new LoadSignal(
        utilization, inFlight, OptionalDouble.of(value), queueWaitMs, latencyMs, errors);
  }

  /** Returns this signal with the time that requests wait. */
  public LoadSignal withQueueWait(Duration wait) {
    return new LoadSignal(utilization, inFlight, capacity, millis(wait), latencyMs, errors);
  }

  /** Returns this signal with the time in which requests are answered. */
  public LoadSignal withLatency(Duration latency) {
    return new LoadSignal(utilization, inFlight, capacity, queueWaitMs, millis(latency), errors);
  }

  /** Returns this signal with the share of the requests that fail. */
  public LoadSignal withErrors(double share) {
    return new LoadSignal(
        utilization, inFlight, capacity, queueWaitMs, latencyMs, OptionalDouble.of(share));
  }

  private static OptionalDouble millis(Duration duration) {
    return OptionalDouble.of(duration.toNanos() / 1e6);
  }

  private static void require(String name, OptionalDouble figure) {
    if (figure.isEmpty()) return;
    double value = figure.getAsDouble();
    if (value >= 0 && value <= Double.MAX_VALUE) return;
    throw new IllegalArgumentException(
        "%s must be a number of 0 or more, got %s".formatted(name, value));
  }
}
