package io.headgate.limit;

/**
 * What one limit says to one request. Times are microseconds from the moment of asking.
 *
 * <p>{@code remaining} is what could be taken at this moment, after this request's own charge if it
 * passed; {@code resetAfter} is when the state will be as fresh, if nobody else comes.
 */
public sealed interface Outcome {
  long remaining();

  long resetAfter();

  /** Within the limit; to go ahead after {@code delay}, which is 0 unless the limit is a queue. */
  record Passed(long remaining, long resetAfter, long delay) implements Outcome {}

  /** Over the limit now; the same request passes at {@code retryAfter} and not a moment before. */
  record Refused(long remaining, long resetAfter, long retryAfter) implements Outcome {}

  /** The cost exceeds the capacity: no amount of waiting will help. */
  record ExceedsCapacity(long remaining, long resetAfter, long cost, long capacity)
      implements Outcome {}
}
