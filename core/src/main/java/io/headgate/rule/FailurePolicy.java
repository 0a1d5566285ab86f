package io.headgate.rule;

import java.time.Duration;

/** What a rule says while the store can't be asked. */
public sealed interface FailurePolicy {
  /** What a rule does that names no policy: an outage then costs accuracy, and not the limit. */
  FailurePolicy DEFAULT = new Local();

  record Allow() implements FailurePolicy {}

  record Deny() implements FailurePolicy {}

  /** Each instance enforces its share of the limit by itself. */
  record Local() implements FailurePolicy {}

  /** An outage shorter than {@code grace} is forgiven; a longer one is not. */
  record AllowThenDeny(Duration grace) implements FailurePolicy {
    public AllowThenDeny {
      if (grace.isNegative() || grace.isZero()) {
        throw new IllegalArgumentException(
            "allow-then-deny needs a positive time, got %s; to deny at once, use deny"
                .formatted(grace));
      }
    }
  }
}
