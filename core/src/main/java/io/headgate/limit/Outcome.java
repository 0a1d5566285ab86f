package io.headgate.limit;

/** The outcome of one limit for one request. Times are in microseconds from the request's time. */
public sealed interface Outcome {
  /** Returns the permits that are available now, after this request's charge if it passed. */
  long remaining();

  /** Returns the time until the counter is unused again if no further request arrives. */
  long resetAfter();

  /** The request is within the limit and goes ahead after {@code delay}; 0 unless it is queued. */
  record Passed(long remaining, long resetAfter, long delay) implements Outcome {}

  /**
   * The request exceeds the limit now. It passes after {@code retryAfter}, and not a microsecond
   * earlier, if no other request is charged.
   */
  record Refused(long remaining, long resetAfter, long retryAfter) implements Outcome {}

  /** The cost exceeds the capacity of the limit, so the request never passes. */
  record ExceedsCapacity(long remaining, long resetAfter, long cost, long capacity)
      implements Outcome {}
}
