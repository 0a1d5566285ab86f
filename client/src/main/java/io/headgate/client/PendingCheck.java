package io.headgate.client;

import io.headgate.rule.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A check that waits for its decision. Its result fails with a timeout at its deadline. */
final class PendingCheck {
  private final Request request;
  private final byte[] json;
  private final long deadlineAt;
  private final CompletableFuture<RemoteResult> result = new CompletableFuture<>();

  PendingCheck(Request request, Duration deadline, ServiceConnection connection) {
    this.request = request;
    this.json = CheckJson.of(request);
    this.deadlineAt = System.nanoTime() + deadline.toNanos();
    connection.expire(result, deadlineAt);
  }

  Request request() {
    return request;
  }

  /** Returns the request as JSON. */
  byte[] json() {
    return json;
  }

  /** Returns the time of the deadline, as {@link System#nanoTime}. */
  long deadlineAt() {
    return deadlineAt;
  }

  CompletableFuture<RemoteResult> result() {
    return result;
  }
}
