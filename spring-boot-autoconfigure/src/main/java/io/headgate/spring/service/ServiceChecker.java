package io.headgate.spring.service;

import io.headgate.CheckResult;
import io.headgate.client.HeadgateClient;
import io.headgate.client.HeadgateException;
import io.headgate.client.RemoteResult;
import io.headgate.client.RequestRejectedException;
import io.headgate.http.CheckListener;
import io.headgate.http.HeldSlots;
import io.headgate.http.RequestChecker;
import io.headgate.load.CallOutcome;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.spring.HeadgateProperties.Service.Failure;
import io.headgate.spring.StoreStartException;
import io.headgate.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Lets a Headgate service decide requests. While it is unavailable, requests pass or fail with a
 * {@link StoreException}, by the failure mode. A request that the service rejects, such as one with
 * a wrong token, fails in every mode: otherwise a mistake would disable all limits silently.
 *
 * <p>A request whose delay is too long keeps its place in the queue of the service. Thread-safe.
 */
final class ServiceChecker implements RequestChecker {
  private final HeadgateClient client;
  private final Failure failureMode;
  private final Duration maxDelay;
  private final CheckListener listener;
  private final ServiceStatus status;
  private final ServiceResults results = new ServiceResults();

  ServiceChecker(
      HeadgateClient client,
      Failure failureMode,
      Duration maxDelay,
      CheckListener listener,
      ServiceStatus status) {
    this.client = client;
    this.failureMode = failureMode;
    this.maxDelay = maxDelay;
    this.listener = listener;
    this.status = status;
  }

  /**
   * Peeks at a request, which charges nothing.
   *
   * @throws StoreStartException if the service does not answer or rejects it
   */
  void requireAvailable() {
    try {
      client.peek(Subject.of("start"));
    } catch (HeadgateException e) {
      throw new StoreStartException(
          "The service of Headgate is unavailable: " + e.getMessage(),
          "Start the service, or correct headgate.service.url and headgate.service.token. Without"
              + " headgate.require-store=true, the application starts nevertheless, and"
              + " headgate.service.failure-mode decides.");
    }
  }

  @Override
  public boolean isRemote() {
    return true;
  }

  @Override
  public CheckResult check(Request request) {
    long start = System.nanoTime();
    CheckResult result;
    try {
      result = decided(request, client.checkForResult(request));
    } catch (HeadgateException e) {
      result = failed(request, e);
    }
    listener.checked(request, result, System.nanoTime() - start);
    return result;
  }

  @Override
  public CompletionStage<CheckResult> checkAsync(Request request) {
    long start = System.nanoTime();
    return client
        .checkForResultAsync(request)
        .handle((remote, failure) -> {
          var result = failure == null ? decided(request, remote) : failed(request, failure);
          listener.checked(request, result, System.nanoTime() - start);
          return result;
        });
  }

  private CheckResult decided(Request request, RemoteResult remote) {
    status.succeeded();
    var result = results.of(request, remote);
    if (result.delay().compareTo(maxDelay) <= 0) return result;
    var slots = slots(result);
    if (slots != null) slots.releaseAsync(CallOutcome.DROPPED);
    return result.withMaxWait(maxDelay);
  }

  private CheckResult failed(Request request, Throwable failure) {
    var cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null)
      cause = cause.getCause();
    String message = String.valueOf(cause.getMessage());
    status.failed(message);
    if (cause instanceof HeadgateException
        && !(cause instanceof RequestRejectedException)
        && failureMode == Failure.ALLOW) {
      return results.ofFailure(request);
    }
    throw new StoreException(StoreException.Kind.OTHER, message, cause);
  }

  @Override
  public @Nullable HeldSlots slots(CheckResult result) {
    var id = result.slotId().orElse(null);
    if (id == null) return null;
    return new HeldSlots(
        call ->
            client
                .releaseAsync(id, call)
                .exceptionally(problem -> {
                  status.failed(String.valueOf(problem.getMessage())); // the slots expire
                  return false;
                }),
        true);
  }
}
