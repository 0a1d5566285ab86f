package io.headgate.rule;

import java.time.Duration;

/** How a rule decides while the store is unavailable ({@code on-store-failure}). */
public sealed interface FailurePolicy {
  /** The policy of a rule that sets none: the limit stays enforced, with less accuracy. */
  FailurePolicy DEFAULT = new Local();

  /** Allows every request. */
  record Allow() implements FailurePolicy {}

  /** Denies every request. */
  record Deny() implements FailurePolicy {}

  /** Each instance enforces its part of the limit locally. */
  record Local() implements FailurePolicy {}

  /** Allows every request for the first {@code grace} of an outage, then denies every request. */
  record AllowThenDeny(Duration grace) implements FailurePolicy {
    /** Throws {@link IllegalArgumentException} if the time is not positive. */
    public AllowThenDeny {
      if (grace.isNegative() || grace.isZero()) {
        throw new IllegalArgumentException(
            "allow-then-deny needs a positive time, got %s; to deny at once, use deny"
                .formatted(grace));
      }
    }
  }
}
