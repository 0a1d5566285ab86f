package io.headgate.client.outbound;

import java.io.IOException;
import java.time.Duration;

/**
 * Thrown instead of sending a request that would exceed the limit of the service that it is for,
 * and would have to wait longer than permitted. The request was not sent.
 */
public final class QuotaExhaustedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The time after which the request may be sent. */
  private final Duration retryAfter;

  QuotaExhaustedException(String service, Duration retryAfter, Duration maxWait) {
    super(
        "the request to %s was not sent: its quota is used up, and the wait of %d ms exceeds the maximum of %d ms"
            .formatted(service, retryAfter.toMillis(), maxWait.toMillis()));
    this.retryAfter = retryAfter;
  }

  /** Returns the time after which the request may be sent. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
