package io.headgate.server.http;

import io.headgate.RateLimiter;
import io.headgate.Verdict;
import io.headgate.rule.Request;
import io.headgate.server.rules.RecentCallers;
import io.headgate.server.store.StoreView;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Asks the limiter without making the event loop wait. A store in memory answers at once, so there
 * nothing is put off; one elsewhere may take as long as its deadline.
 */
final class Asking {
  private final RateLimiter limiter;
  private final RecentCallers.Ear ear;
  private final boolean remote;

  Asking(RateLimiter limiter, RecentCallers.Ear ear) {
    this.limiter = limiter;
    this.ear = ear;
    this.remote = new StoreView(limiter.store()).isRemote();
  }

  void decide(Exchange exchange, Request request, Consumer<Verdict> then) {
    ear.hear(request.subject());
    if (remote) exchange.when(limiter.decideAsync(request), then);
    else then.accept(limiter.decide(request));
  }

  /** Each on its own, in their order, all on their way at once. */
  void decideAll(Exchange exchange, List<Request> requests, Consumer<List<Verdict>> then) {
    for (var request : requests) ear.hear(request.subject());
    if (!remote) {
      then.accept(requests.stream().map(limiter::decide).toList());
      return;
    }
    var verdicts =
        requests.stream().map(r -> limiter.decideAsync(r).toCompletableFuture()).toList();
    exchange.when(
        CompletableFuture.allOf(verdicts.toArray(CompletableFuture<?>[]::new)),
        all -> then.accept(verdicts.stream().map(CompletableFuture::join).toList()));
  }

  /** For what the limiter does while its caller waits. */
  <T> void ask(Exchange exchange, Supplier<T> question, Consumer<T> then) {
    if (remote) exchange.when(aside(question), then);
    else then.accept(question.get());
  }

  /**
   * Gives the slots back of a request whose client has gone. If that fails they end by themselves.
   */
  void giveBack(Verdict verdict) {
    verdict.lease().ifPresent(this::release);
  }

  private void release(String lease) {
    if (remote) {
      var unused = aside(() -> limiter.release(lease));
    } else {
      limiter.release(lease);
    }
  }

  /** Does what may take its time on a thread that may wait. */
  static <T> CompletableFuture<T> aside(Supplier<T> question) {
    return CompletableFuture.supplyAsync(question, Thread::startVirtualThread);
  }
}
