package io.headgate.client;

import java.time.Duration;

/**
 * A circuit breaker: after some failures in a row, it permits one request per pause until one
 * succeeds. An unavailable service then costs callers no waiting. Thread-safe.
 */
final class ServiceHealth {
  static final int FAILURES = 5;
  static final Duration PAUSE = Duration.ofMillis(250);

  private int failures;
  private long retryAt;

  /** Returns whether a request may be sent; while the breaker is open, true once per pause. */
  synchronized boolean permits(long now) {
    if (failures < FAILURES) return true;
    if (now - retryAt < 0) return false;
    retryAt = now + PAUSE.toNanos();
    return true;
  }

  synchronized void succeeded() {
    failures = 0;
  }

  synchronized void failed(long now) {
    if (++failures >= FAILURES) retryAt = now + PAUSE.toNanos();
  }
}
