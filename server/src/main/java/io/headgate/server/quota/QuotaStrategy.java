package io.headgate.server.quota;

/** How a proxy decides the requests of a bucket by itself. */
public sealed interface QuotaStrategy {
  /** Admits every request: no rule applies, or one excuses from all others. */
  record AllowAll() implements QuotaStrategy {}

  /** Denies every request: no permits are left, a rule denies, or a rule can't be assigned. */
  record DenyAll() implements QuotaStrategy {}

  /**
   * Admits as many requests as there are permits.
   *
   * @param permits at least 1
   */
  record Tokens(long permits) implements QuotaStrategy {
    /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
    public Tokens {
      if (permits < 1 || permits > QuotaSizing.MAX_PERMITS) {
        throw new IllegalArgumentException(
            "an assignment has 1 to %d permits, got %d"
                .formatted(QuotaSizing.MAX_PERMITS, permits));
      }
    }
  }
}
