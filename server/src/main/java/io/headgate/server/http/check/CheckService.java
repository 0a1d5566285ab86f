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
 * Asks the limiter without making the event loop wait. A store in memory answers at once, so there
 * nothing is put off; one elsewhere may take as long as its deadline.
 */
public final class CheckService {
  private final RateLimiter limiter;
  private final DecisionListener witness;
  private final boolean remote;

  /**
   * @param witness of this event loop
   */
  public CheckService(RateLimiter limiter, DecisionListener witness) {
    this.limiter = limiter;
    this.witness = witness;
    this.remote = new StoreView(limiter.store()).isRemote();
  }

  void decide(Exchange exchange, Request request, Consumer<CheckResult> then) {
    long since = System.nanoTime();
    if (remote) {
      exchange.trace().asks(1);
      var decided = limiter.checkForResultAsync(request).toCompletableFuture();
      boolean waited = !decided.isDone();
      exchange.when(
          decided,
          result -> {
            witness.decided(request, result, System.nanoTime() - since);
            exchange.trace().decided(result, waited);
            then.accept(result);
          });
    } else {
      var result = limiter.checkForResult(request);
      witness.decided(request, result, System.nanoTime() - since);
      exchange.trace().decided(result, false);
      then.accept(result);
    }
  }

  /** Each on its own, in their order. */
  void decideAll(Exchange exchange, List<Request> requests, Consumer<List<CheckResult>> then) {
    if (remote) {
      decideAllAtOnce(exchange, requests, then);
    } else {
      var results = decideInTurn(requests);
      exchange.trace().decided(results, false);
      then.accept(results);
    }
  }

  private List<CheckResult> decideInTurn(List<Request> requests) {
    var results = new ArrayList<CheckResult>(requests.size());
    long since = System.nanoTime();
    for (var request : requests) {
      var result = limiter.checkForResult(request);
      long now = System.nanoTime();
      witness.decided(request, result, now - since);
      results.add(result);
      since = now;
    }
    return results;
  }

  /** All are on their way together, so whoever asked waited as long for each of them. */
  private void decideAllAtOnce(
      Exchange exchange, List<Request> requests, Consumer<List<CheckResult>> then) {
    long since = System.nanoTime();
    exchange.trace().asks(requests.size());
    var results =
        requests.stream().map(r -> limiter.checkForResultAsync(r).toCompletableFuture()).toList();
    var together = CompletableFuture.allOf(results.toArray(CompletableFuture<?>[]::new));
    boolean waited = !together.isDone();
    exchange.when(
        together,
        all -> {
          var decided = results.stream().map(CompletableFuture::join).toList();
          long nanos = System.nanoTime() - since;
          for (int i = 0; i < decided.size(); i++) {
            witness.decided(requests.get(i), decided.get(i), nanos);
          }
          exchange.trace().decided(decided, waited);
          then.accept(decided);
        });
  }

  /** For what the limiter does while its caller waits. */
  <T> void ask(Exchange exchange, Supplier<T> question, Consumer<T> then) {
    if (remote) exchange.when(onVirtualThread(question), then);
    else then.accept(question.get());
  }

  /**
   * Gives the slots back of a request whose client has gone. If that fails they end by themselves.
   */
  void giveBack(CheckResult result) {
    result.slotId().ifPresent(this::release);
  }

  private void release(String lease) {
    if (remote) {
      var unused = onVirtualThread(() -> limiter.release(lease));
    } else {
      limiter.release(lease);
    }
  }

  /** Does what may take its time on a thread that may wait. */
  static <T> CompletableFuture<T> onVirtualThread(Supplier<T> question) {
    return CompletableFuture.supplyAsync(question, Thread::startVirtualThread);
  }
}
