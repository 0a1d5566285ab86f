package io.headgate.client;

import io.headgate.rule.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A check that waits for its decision.
 *
 * @param json the request as JSON
 * @param deadlineAt when the result fails with a {@link java.util.concurrent.TimeoutException}, as
 *     {@link System#nanoTime}
 */
record PendingCheck(
    Request request, byte[] json, long deadlineAt, CompletableFuture<RemoteResult> result) {
  static PendingCheck of(Request request, Duration deadline) {
    var result = new CompletableFuture<RemoteResult>();
    var check =
        new PendingCheck(
            request, CheckJson.of(request), System.nanoTime() + deadline.toNanos(), result);
    result.orTimeout(deadline.toNanos(), TimeUnit.NANOSECONDS);
    return check;
  }
}
