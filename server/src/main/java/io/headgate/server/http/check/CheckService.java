package io.headgate.server.http.check;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.stats.DecisionListener;
import io.headgate.server.store.StoreView;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Calls the rate limiter without blocking the event loop. With an in-memory store, calls complete
 * immediately on the event loop; with a remote store they are asynchronous and may take up to the
 * store's deadline. Not thread-safe: each event loop has its own.
 */
public final class CheckService {
  private final RateLimiter limiter;
  private final DecisionListener listener;
  private final boolean remote;

  /**
   * @param listener is notified of the decisions of this event loop
   */
  public CheckService(RateLimiter limiter, DecisionListener listener) {
    this.limiter = limiter;
    this.listener = listener;
    this.remote = new StoreView(limiter.store()).isRemote();
  }

  /** Decides a request and passes the result to {@code then} on the event loop. */
  void check(Exchange exchange, Request request, Consumer<CheckResult> then) {
    long since = System.nanoTime();
    if (remote) {
      exchange.trace().storeCallStarted(1);
      var decided = limiter.checkForResultAsync(request).toCompletableFuture();
      boolean waited = !decided.isDone();
      exchange.whenComplete(
          decided,
          result -> {
            listener.decided(request, result, System.nanoTime() - since);
            exchange.trace().decided(result, waited);
            then.accept(result);
          });
    } else {
      var result = limiter.checkForResult(request);
      listener.decided(request, result, System.nanoTime() - since);
      exchange.trace().decided(result, false);
      then.accept(result);
    }
  }

  /** Decides requests independently, in their order. */
  void checkAll(Exchange exchange, List<Request> requests, Consumer<List<CheckResult>> then) {
    if (remote) {
      checkConcurrently(exchange, requests, then);
    } else {
      var results = checkSequentially(requests);
      exchange.trace().decided(results, false);
      then.accept(results);
    }
  }

  private List<CheckResult> checkSequentially(List<Request> requests) {
    var results = new ArrayList<CheckResult>(requests.size());
    long since = System.nanoTime();
    for (var request : requests) {
      var result = limiter.checkForResult(request);
      long now = System.nanoTime();
      listener.decided(request, result, now - since);
      results.add(result);
      since = now;
    }
    return results;
  }

  /** Decides all requests concurrently, so each of them counts with the duration of the whole. */
  private void checkConcurrently(
      Exchange exchange, List<Request> requests, Consumer<List<CheckResult>> then) {
    long since = System.nanoTime();
    exchange.trace().storeCallStarted(requests.size());
    var results =
        requests.stream().map(r -> limiter.checkForResultAsync(r).toCompletableFuture()).toList();
    var together = CompletableFuture.allOf(results.toArray(CompletableFuture<?>[]::new));
    boolean waited = !together.isDone();
    exchange.whenComplete(
        together,
        all -> {
          var decided = results.stream().map(CompletableFuture::join).toList();
          long nanos = System.nanoTime() - since;
          for (int i = 0; i < decided.size(); i++) {
            listener.decided(requests.get(i), decided.get(i), nanos);
          }
          exchange.trace().decided(decided, waited);
          then.accept(decided);
        });
  }

  /** Runs a blocking operation of the limiter: on a virtual thread if the store is remote. */
  <T> void call(Exchange exchange, Supplier<T> operation, Consumer<T> then) {
    if (remote) exchange.whenComplete(onVirtualThread(operation), then);
    else then.accept(operation.get());
  }

  /**
   * Releases the slots of a request whose client has disconnected. If that fails the slots expire.
   */
  void releaseSlots(CheckResult result) {
    result.slotId().ifPresent(this::release);
  }

  private void release(String slot) {
    if (remote) {
      var unused = onVirtualThread(() -> limiter.release(slot));
    } else {
      limiter.release(slot);
    }
  }

  /** Runs a blocking operation on a virtual thread. */
  static <T> CompletableFuture<T> onVirtualThread(Supplier<T> operation) {
    return CompletableFuture.supplyAsync(operation, Thread::startVirtualThread);
  }
}
