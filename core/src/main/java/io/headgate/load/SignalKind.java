package io.headgate.load;

import java.util.OptionalDouble;

/** The figure of a {@link LoadSignal} that a rule follows. */
public enum SignalKind {
  /** The share of the workers that are busy. */
  UTILIZATION(true),
  /** The requests in progress as a share of the capacity. */
  IN_FLIGHT(true),
  /** The time that requests wait, in milliseconds. */
  QUEUE_WAIT(false),
  /** The time in which requests are answered, in milliseconds. */
  LATENCY(false),
  /** The share of the requests that fail. */
  ERRORS(true);

  private final boolean share;

  SignalKind(boolean share) {
    this.share = share;
  }

  /** Returns whether the figure is a share from 0 to 1; otherwise it is a time in milliseconds. */
  public boolean isShare() {
    return share;
  }

  /** Returns the figure of a signal; empty if the signal does not have it. */
  public OptionalDouble of(LoadSignal signal) {
    return switch (this) {
      case UTILIZATION -> signal.utilization();
      case IN_FLIGHT -> {
        if (signal.inFlight().isEmpty() || signal.capacity().isEmpty()) {
          yield OptionalDouble.empty();
        }
        yield OptionalDouble.of(signal.inFlight().getAsDouble() / signal.capacity().getAsDouble());
      }
      case QUEUE_WAIT -> signal.queueWaitMs();
      case LATENCY -> signal.latencyMs();
      case ERRORS -> signal.errors();
    };
  }
}
