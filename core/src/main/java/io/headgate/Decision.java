package io.headgate;

import java.time.Duration;

/**
 * The answer to one request. A denial is a normal answer, not an exception.
 *
 * <p>What it rests on (which rule, what each limit said) is in the {@link CheckResult}.
 */
public sealed interface Decision {

  /** Whether the request goes ahead, now or after its delay. */
  default boolean isAllowed() {
    return switch (this) {
      case Allowed allowed -> true;
      case Delayed delayed -> true;
      case Denied denied -> false;
      case Impossible impossible -> false;
    };
  }

  /**
   * Go ahead.
   *
   * @param remaining what could still be taken at this moment, of the tightest limit
   */
  record Allowed(long remaining, Duration resetAfter) implements Decision {
    /** What {@code remaining} says where no rule applies. */
    public static final long UNLIMITED = Long.MAX_VALUE;
  }

  /** Go ahead after {@code delay}: a place in the line has been taken. */
  record Delayed(Duration delay, long remaining, Duration resetAfter) implements Decision {}

  /** Not now. The same request passes after {@code retryAfter}, if nobody else comes. */
  record Denied(Duration retryAfter) implements Decision {}

  /** The cost exceeds what the limit can ever hold: no amount of waiting will help. */
  record Impossible(long cost, long capacity) implements Decision {}
}
