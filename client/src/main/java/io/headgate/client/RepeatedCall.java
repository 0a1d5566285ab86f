package io.headgate.client;

import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/**
 * A call of an idempotent operation, which is repeated once if its response is lost: its connection
 * fails, or half of the deadline passes in silence. The first response of either request counts,
 * since a slow service may still answer the first. A response with an error is a response.
 */
final class RepeatedCall {
  private final ServiceConnection connection;
  private final LongFunction<CompletableFuture<ServiceReply>> send;
  private final long nanos;
  private final long deadlineAt;
  private final CompletableFuture<ServiceReply> result = new CompletableFuture<>();

  /**
   * Prepares a call.
   *
   * @param send sends the request, with the time in nanoseconds that its response may take
   * @param nanos how long both requests may take together
   */
  RepeatedCall(
      ServiceConnection connection,
      LongFunction<CompletableFuture<ServiceReply>> send,
      long nanos) {
    this.connection = connection;
    this.send = send;
    this.nanos = nanos;
    this.deadlineAt = System.nanoTime() + nanos;
  }

  /** Sends the request. The result fails, as the repetition does, if neither is answered. */
  CompletableFuture<ServiceReply> start() {
    var first = request(nanos);
    var answered = first.copy();
    connection.expire(answered, deadlineAt - nanos / 2);
    var unused =
        answered.whenComplete((response, lost) -> {
          if (lost == null) result.complete(response);
          else repeat(first);
        });
    return result;
  }

  private void repeat(CompletableFuture<ServiceReply> first) {
    var second = request(Math.max(1_000_000, deadlineAt - System.nanoTime()));
    var unusedFirst = first.thenAccept(result::complete);
    var unusedSecond =
        second.whenComplete((response, failure) -> {
          if (failure == null) result.complete(response);
          else failAfter(first, failure);
        });
  }

  private void failAfter(CompletableFuture<ServiceReply> first, Throwable failure) {
    var unused =
        first.whenComplete((response, lost) -> {
          if (lost != null) result.completeExceptionally(failure);
        });
  }

  /** A closed client may refuse to send; the result must complete all the same. */
  private CompletableFuture<ServiceReply> request(long timeout) {
    try {
      return send.apply(timeout);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
