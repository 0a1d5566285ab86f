package io.headgate;

import java.time.Duration;

/**
 * The decision on one request: allowed, delayed, denied or impossible. A denial is a value, not an
 * exception.
 *
 * <p>{@link CheckResult} adds the rule and the limits that the decision was based on.
 */
public sealed interface Decision {

  /** Returns whether the request may go ahead, immediately or after its delay. */
  default boolean isAllowed() {
    return switch (this) {
      case Allowed allowed -> true;
      case Delayed delayed -> true;
      case Denied denied -> false;
      case Impossible impossible -> false;
    };
  }

  /**
   * The request may go ahead now.
   *
   * @param remaining the permits left in the tightest limit, after this request unless it was a
   *     peek; {@link #UNLIMITED} if no limit applies; {@link #UNKNOWN} if the store is unavailable
   *     and a failure policy other than {@code local} allowed the request
   * @param resetAfter the time until that limit is back at its full capacity if it is not used
   */
  record Allowed(long remaining, Duration resetAfter) implements Decision {
    /** The value of {@code remaining} if no limit applies. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** The value of {@code remaining} if the store is unavailable, so that nothing is counted. */
    public static final long UNKNOWN = -1;
  }

  /**
   * The request may go ahead after {@code delay}. Its place in the queue has been charged, unless
   * it was a peek.
   *
   * @param delay the time to wait before the request is sent
   * @param remaining the places left in the queue; {@link Allowed#UNKNOWN} as there
   * @param resetAfter the time until the queue is empty if no further request arrives
   */
  record Delayed(Duration delay, long remaining, Duration resetAfter) implements Decision {}

  /**
   * The request exceeds a limit, or a rule denies every request; nothing was charged.
   *
   * @param retryAfter the time after which the same request passes if no other request is made. For
   *     a rule that denies every request, the time until its schedule ends, or {@link #ENDLESS}
   */
  record Denied(Duration retryAfter) implements Decision {
    /** The value of {@code retryAfter} if waiting does not help: 100 years. */
    public static final Duration ENDLESS = Duration.ofDays(36_525);

    /** Returns whether waiting does not help, because a rule denies every request for good. */
    public boolean isEndless() {
      return retryAfter.compareTo(ENDLESS) >= 0;
    }
  }

  /**
   * The cost exceeds the capacity of a limit, so the request can never pass; nothing was charged.
   *
   * @param cost the cost of the request for that limit
   * @param capacity the highest cost that the limit can grant
   */
  record Impossible(long cost, long capacity) implements Decision {}
}
