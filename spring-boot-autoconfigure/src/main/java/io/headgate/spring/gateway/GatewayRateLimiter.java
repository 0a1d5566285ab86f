package io.headgate.spring.gateway;

import io.headgate.CheckResult;
import io.headgate.http.RateLimitFields;
import io.headgate.http.RequestAttributes;
import io.headgate.http.RequestChecker;
import io.headgate.load.CallOutcome;
import io.headgate.rule.Request;
import io.headgate.spring.web.ReactiveChecks;
import io.headgate.store.Ticker;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Decides the requests of routes with the filter {@code RequestRateLimiter}. The subject has the
 * attributes {@code route}, the id of the route, and {@code key}, the value of the key resolver.
 * All rules that match apply, with any algorithm.
 *
 * <p>The response has the rate-limit headers of the service, {@code Retry-After} included. The
 * filter determines the status of a denial. The gateway does not report the end of a request, so
 * concurrency slots are released at once. Thread-safe.
 */
public final class GatewayRateLimiter implements RateLimiter<GatewayRateLimiter.RouteOptions> {
  private final RequestChecker checker;
  private final RateLimitFields fields = new RateLimitFields(Ticker.system());
  private final Map<String, RouteOptions> config = new ConcurrentHashMap<>();

  /** Creates a limiter. */
  public GatewayRateLimiter(RequestChecker checker) {
    this.checker = checker;
  }

  /** The options of a route, of which there are none. */
  public static final class RouteOptions {
    /** Creates the options. */
    public RouteOptions() {}
  }

  @Override
  public Map<String, RouteOptions> getConfig() {
    return config;
  }

  @Override
  public Class<RouteOptions> getConfigClass() {
    return RouteOptions.class;
  }

  @Override
  public RouteOptions newConfig() {
    return new RouteOptions();
  }

  @Override
  public Mono<Response> isAllowed(String routeId, String id) {
    var subject = new RequestAttributes().add("route", routeId).add("key", id).subject();
    return ReactiveChecks.check(checker, Request.of(subject)).flatMap(this::response);
  }

  private Mono<Response> response(CheckResult result) {
    var slots = checker.slots(result);
    if (slots != null) slots.releaseAsync(CallOutcome.SUCCESS);
    var headers = new LinkedHashMap<String, String>();
    fields.write(result, 0, (field, value) -> headers.put(field.field(), value.toString()));
    var response = Mono.just(new Response(result.isAllowed(), headers));
    // The gateway writes denials at once; among responses of other threads, Reactor Netty up to
    // 1.3.7 stops reading.
    if (!result.isAllowed()) return response.publishOn(Schedulers.parallel());
    return result.delay().isZero() ? response : Mono.delay(result.delay()).then(response);
  }
}
