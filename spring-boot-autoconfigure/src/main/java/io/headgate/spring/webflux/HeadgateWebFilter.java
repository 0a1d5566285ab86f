package io.headgate.spring.webflux;

import io.headgate.CheckResult;
import io.headgate.http.AmbiguousPathException;
import io.headgate.http.HeldSlots;
import io.headgate.http.RequestChecker;
import io.headgate.http.RequestOutcome;
import io.headgate.http.RoundedTimes;
import io.headgate.load.CallOutcome;
import io.headgate.rule.Request;
import io.headgate.spring.web.ReactiveChecks;
import io.headgate.store.StoreException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Scheduler;

/**
 * Checks each HTTP request as the servlet filter does, without blocking a thread. A request keeps
 * its concurrency slots until its response is complete, has failed or is cancelled. With a remote
 * store and after a delay, a request continues on the thread of its connection, so that handlers do
 * not occupy the event loops of the store. Denials are written there, too. Thread-safe.
 */
public final class HeadgateWebFilter implements WebFilter, Ordered {
  private final RequestChecker checker;
  private final ReactiveSubjectResolver resolver;
  private final boolean headersOnAllowed;
  private final int order;

  /**
   * Creates a filter.
   *
   * @param headersOnAllowed whether allowed requests get rate-limit headers, too
   * @param order the order among the filters
   */
  public HeadgateWebFilter(
      RequestChecker checker,
      ReactiveSubjectResolver resolver,
      boolean headersOnAllowed,
      int order) {
    this.checker = checker;
    this.resolver = resolver;
    this.headersOnAllowed = headersOnAllowed;
    this.order = order;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return resolver
        .resolve(exchange)
        .map(wanted -> check(wanted, exchange, chain))
        .onErrorResume(
            AmbiguousPathException.class,
            e -> Mono.just(ReactiveProblemResponse.writeAmbiguous(e, exchange)))
        .switchIfEmpty(Mono.fromSupplier(() -> chain.filter(exchange)))
        .flatMap(next -> next);
  }

  private Mono<Void> check(Request wanted, ServerWebExchange exchange, WebFilterChain chain) {
    var thread = ConnectionThread.of(exchange.getRequest());
    return ReactiveChecks.check(checker, wanted, thread)
        .map(Optional::of)
        .onErrorResume(HeadgateWebFilter::isStoreFailure, e -> Mono.just(Optional.empty()))
        .flatMap(result ->
            result.isPresent()
                ? decided(result.get(), exchange, chain, thread)
                : ReactiveProblemResponse.writeUnavailable(exchange.getResponse()));
  }

  private static boolean isStoreFailure(Throwable problem) {
    return problem instanceof StoreException
        || (problem instanceof CompletionException && problem.getCause() instanceof StoreException);
  }

  private Mono<Void> decided(
      CheckResult result, ServerWebExchange exchange, WebFilterChain chain, Scheduler thread) {
    if (!result.isAllowed()) return ReactiveProblemResponse.writeDenial(result, exchange);
    var slots = checker.slots(result);
    long waited = RoundedTimes.micros(result.delay());
    Mono<Void> rest =
        Mono.defer(() -> {
          if (headersOnAllowed) {
            ReactiveProblemResponse.writeHeaders(
                result, waited, exchange.getResponse().getHeaders());
          }
          return chain.filter(exchange);
        });
    if (waited > 0) rest = Mono.delay(result.delay()).publishOn(thread).then(rest);
    return slots == null ? rest : holding(slots, exchange, rest);
  }

  private static Mono<Void> holding(HeldSlots slots, ServerWebExchange exchange, Mono<Void> rest) {
    var failure = new AtomicReference<Optional<Throwable>>(Optional.empty());
    return rest.doOnError(problem -> failure.set(Optional.of(problem)))
        .doFinally(signal -> slots.releaseAsync(outcome(signal, failure.get(), exchange)));
  }

  private static CallOutcome outcome(
      SignalType signal, Optional<Throwable> failure, ServerWebExchange exchange) {
    if (signal == SignalType.CANCEL) return CallOutcome.DROPPED;
    if (failure.isPresent()) return RequestOutcome.ofException(failure.get());
    var status = exchange.getResponse().getStatusCode();
    return status == null ? CallOutcome.SUCCESS : RequestOutcome.ofStatus(status.value());
  }
}
