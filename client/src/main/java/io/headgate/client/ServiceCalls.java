package io.headgate.client;

import io.headgate.Decision;
import io.headgate.rule.Request;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Makes calls of the service with one deadline, and applies one failure mode to those that fail.
 * Thread-safe.
 */
record ServiceCalls(
    ServiceConnection connection,
    ServiceReplies replies,
    Duration deadline,
    FailureMode failureMode) {

  static final byte[] NO_BODY = {};

  /** Returns the same with another deadline. */
  ServiceCalls within(Duration other) {
    return new ServiceCalls(connection, replies, ClientOptions.requireDeadline(other), failureMode);
  }

  /** Returns the same with another failure mode. */
  ServiceCalls onFailure(FailureMode other) {
    return new ServiceCalls(connection, replies, deadline, other);
  }

  /** Sends a request once. */
  CompletableFuture<ServiceReply> send(String method, String path, byte[] body) {
    return connection.send(method, path, body, deadline.toNanos());
  }

  /** Sends a request once, or fails at once while the service is known to be unavailable. */
  CompletableFuture<ServiceReply> sendIfAvailable(String method, String path, byte[] body) {
    return connection.isWorthAsking() ? send(method, path, body) : skipped();
  }

  /** Sends an idempotent request, and once again if its response does not arrive. */
  CompletableFuture<ServiceReply> sendIdempotent(String method, String path, byte[] body) {
    return new RepeatedCall(
            connection, nanos -> connection.send(method, path, body, nanos), deadline.toNanos())
        .start();
  }

  /** Asks for a decision; the failure mode decides if there is none. */
  CompletableFuture<RemoteResult> decide(String path, Request request) {
    return decided(
        sendIfAvailable("POST", path, CheckJson.of(request))
            .thenApply(response -> replies.decision(response, request)));
  }

  /** Applies the failure mode to a decision. */
  CompletableFuture<RemoteResult> decided(CompletableFuture<RemoteResult> call) {
    return orFallback(call, this::fallback);
  }

  /**
   * Applies the failure mode to a call. One that the service rejected fails in every mode.
   *
   * @param fallback returns the value instead of the failure
   */
  <T> CompletableFuture<T> orFallback(
      CompletableFuture<T> call, Function<HeadgateException, T> fallback) {
    return call.handle((value, failure) -> {
      if (failure == null) return value;
      var problem = replies.failure(failure);
      if (problem instanceof RequestRejectedException) throw problem;
      if (failureMode == FailureMode.THROW) throw problem;
      return fallback.apply(problem);
    });
  }

  /** Returns the decision of the failure mode. */
  RemoteResult fallback(HeadgateException problem) {
    var decision =
        isFailOpen()
            ? new Decision.Allowed(Decision.Allowed.UNKNOWN, Duration.ZERO)
            : new Decision.Denied(HeadgateClient.FAILURE_RETRY);
    return RemoteResult.ofFailure(decision, String.valueOf(problem.getMessage()));
  }

  boolean isFailOpen() {
    return failureMode == FailureMode.ALLOW;
  }

  /** Returns the failure of a call that is not made. */
  static <T> CompletableFuture<T> skipped() {
    return CompletableFuture.failedFuture(
        new HeadgateException(
            "the service was not asked, since the last %d calls failed; one call every %d ms tests it"
                .formatted(ServiceHealth.FAILURES, ServiceHealth.PAUSE.toMillis()),
            null));
  }

  /** Returns an id as a segment of a path. */
  static String segment(String id) {
    return URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Continues elsewhere, so that the application can't block the thread that receives replies. */
  static <T> CompletableFuture<T> handedOver(CompletableFuture<T> stage) {
    return stage.isDone() ? stage : stage.whenCompleteAsync((value, failure) -> {});
  }

  /** Starts a call on this thread, and waits for its result. */
  <T> T await(Supplier<CompletableFuture<T>> call) {
    return join(connection.blocking(call));
  }

  /** Waits for a call; throws the {@link HeadgateException} that it fails with. */
  static <T> T join(CompletableFuture<T> stage) {
    try {
      return stage.join(); // ends by the deadline
    } catch (CompletionException e) {
      if (e.getCause() instanceof HeadgateException problem) throw problem;
      throw e;
    }
  }
}
