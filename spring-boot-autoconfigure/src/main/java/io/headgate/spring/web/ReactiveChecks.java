package io.headgate.spring.web;

import io.headgate.CheckResult;
import io.headgate.http.RequestChecker;
import io.headgate.rule.Request;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Decides requests as a publisher, without blocking. With a remote store, the result is published
 * on a thread of Reactor or on another given one, so that handlers do not occupy the event loops of
 * the store. That is so even if it is known at once: one kind of request does not alternate between
 * two kinds of threads.
 */
public final class ReactiveChecks {
  /** Returns the result; the request is decided at each subscription. */
  public static Mono<CheckResult> check(RequestChecker checker, Request request) {
    return check(checker, request, Schedulers.parallel());
  }

  /**
   * Returns the result; the request is decided at each subscription.
   *
   * @param remoteResults where results of a remote store are published
   */
  public static Mono<CheckResult> check(
      RequestChecker checker, Request request, Scheduler remoteResults) {
    var result =
        checker instanceof ContextualChecker contextual
            ? inContext(contextual, request)
            : Mono.fromCompletionStage(() -> checker.checkAsync(request));
    return checker.isRemote() ? result.publishOn(remoteResults) : result;
  }

  private static Mono<CheckResult> inContext(ContextualChecker checker, Request request) {
    return Mono.deferContextual(context ->
        Mono.fromCompletionStage(
            checker.checkAsync(request, context.getOrEmpty(checker.callerKey()).orElse(null))));
  }

  private ReactiveChecks() {}
}
