package io.headgate.load;

/** How a call ended, as a {@link ConcurrencyController} needs to know it. */
public enum CallOutcome {
  /** The call succeeded. Its duration is a measurement of the latency. */
  SUCCESS,

  /** The call failed for a reason other than load. It is no evidence of overload or of latency. */
  ERROR,

  /** The call timed out, or the backend refused it because of overload. */
  DROPPED
}
