package io.headgate.client;

import io.headgate.rule.Request;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends checks: at once while few requests are in flight, otherwise together with the others that
 * wait, as soon as a request has been answered. A check is sent once. A batch that the service
 * rejects has charged nothing, so its checks are sent one by one, and only the invalid ones fail.
 * Thread-safe.
 */
final class CheckBatcher {
  static final int MAX_QUEUED = 10_000;

  /** Below the service's maximum of 1 MiB for the body of a batch. */
  private static final int MAX_BATCH_BYTES = 900_000;

  private final ServiceConnection connection;
  private final ServiceReplies replies;
  private final int maxInFlight;
  private final int maxBatch;
  private final Consumer<String> releaseSlot;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<PendingCheck> queue = new ArrayDeque<>();
  private int inFlight;

  /**
   * @param releaseSlot receives the ids of slots whose check is no longer waited for
   */
  CheckBatcher(
      ServiceConnection connection,
      ServiceReplies replies,
      ClientOptions options,
      Consumer<String> releaseSlot) {
    this.connection = connection;
    this.replies = replies;
    this.maxInFlight = options.maxInFlight();
    this.maxBatch = options.maxBatch();
    this.releaseSlot = releaseSlot;
  }

  /**
   * Sends checks now or later, in one request if they fit into one. Their results complete, in any
   * case, at their deadlines.
   */
  void submit(List<PendingCheck> checks) {
    lock.lock();
    try {
      for (var check : checks) {
        if (queue.size() < MAX_QUEUED) queue.add(check);
        else check.result().completeExceptionally(full());
      }
    } finally {
      lock.unlock();
    }
    sendWaiting();
  }

  private static RejectedExecutionException full() {
    return new RejectedExecutionException(
        "%d checks wait for the service already".formatted(MAX_QUEUED));
  }

  /** Sends checks until the queue is empty or enough requests are in flight. */
  private void sendWaiting() {
    for (var batch = next(); !batch.isEmpty(); batch = next()) send(batch);
  }

  private List<PendingCheck> next() {
    lock.lock();
    try {
      if (inFlight >= maxInFlight) return List.of();
      var batch = new ArrayList<PendingCheck>();
      int bytes = 0;
      while (batch.size() < maxBatch && !queue.isEmpty()) {
        var check = queue.peek();
        if (!batch.isEmpty() && bytes + check.json().length > MAX_BATCH_BYTES) break;
        queue.poll();
        if (check.result().isDone()) continue; // past its deadline; charges nothing
        batch.add(check);
        bytes += check.json().length + 1;
      }
      if (!batch.isEmpty()) inFlight++;
      return batch;
    } finally {
      lock.unlock();
    }
  }

  private void send(List<PendingCheck> batch) {
    var unused =
        dispatch(batch)
            .whenComplete((nothing, failure) -> {
              lock.lock();
              try {
                inFlight--;
              } finally {
                lock.unlock();
              }
              sendWaiting();
            });
  }

  private CompletableFuture<?> dispatch(List<PendingCheck> batch) {
    if (batch.size() == 1) return sendOne(batch.getFirst());
    var body = CheckJson.batch(batch.stream().map(PendingCheck::json).toList());
    return connection
        .send("POST", "/v1/check/batch", body, timeLeft(batch))
        .handle((response, failure) -> delivered(batch, response, failure))
        .thenCompose(again -> CompletableFuture.allOf(again.toArray(CompletableFuture[]::new)));
  }

  private CompletableFuture<?> sendOne(PendingCheck check) {
    return connection
        .send("POST", "/v1/check", check.json(), timeLeft(List.of(check)))
        .thenApply(response -> replies.decision(response, check.request()))
        .handle((result, failure) ->
            failure == null
                ? deliver(check, result)
                : check.result().completeExceptionally(failure));
  }

  /** Completes the checks of a batch; returns the requests that it had to be divided into. */
  private List<CompletableFuture<?>> delivered(
      List<PendingCheck> batch, ServiceReply response, @Nullable Throwable failure) {
    if (failure != null) {
      batch.forEach(check -> check.result().completeExceptionally(failure));
      return List.of();
    }
    if (response.status() == 400 || response.status() == 413) {
      return batch.stream().<CompletableFuture<?>>map(this::sendOne).toList();
    }
    try {
      var results = replies.decisions(response, requests(batch));
      for (int i = 0; i < batch.size(); i++) deliver(batch.get(i), results.get(i));
    } catch (HeadgateException e) {
      batch.forEach(check -> check.result().completeExceptionally(e));
    }
    return List.of();
  }

  private boolean deliver(PendingCheck check, RemoteResult result) {
    if (check.result().complete(result)) return true;
    result.slotId().ifPresent(releaseSlot); // the deadline has passed
    return false;
  }

  private static List<Request> requests(List<PendingCheck> batch) {
    return batch.stream().map(PendingCheck::request).toList();
  }

  private static long timeLeft(List<PendingCheck> batch) {
    long now = System.nanoTime();
    return Math.max(
        1_000_000, batch.stream().mapToLong(check -> check.deadlineAt() - now).max().orElse(0));
  }

  /** Fails the checks that wait. */
  void close() {
    lock.lock();
    try {
      queue.forEach(
          check -> check.result().completeExceptionally(new IOException("the client was closed")));
      queue.clear();
    } finally {
      lock.unlock();
    }
  }
}
