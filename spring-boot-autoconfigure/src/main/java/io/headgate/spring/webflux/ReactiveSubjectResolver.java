package io.headgate.spring.webflux;

import io.headgate.rule.Request;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Maps an HTTP request to the request that the limiter decides. Called once for each HTTP request.
 * Must not block. Implementations must be thread-safe.
 *
 * <p>An error fails the HTTP request, so that an error is never a way around a limit.
 */
@FunctionalInterface
public interface ReactiveSubjectResolver {
  /** Returns the request to decide; empty to let the HTTP request pass without a check. */
  Mono<Request> resolve(ServerWebExchange exchange);
}
