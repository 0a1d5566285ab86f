package io.headgate.spring.webflux;

import io.headgate.spring.LimitExceededException;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Maps {@link LimitExceededException} to the response to a denied request, unless the application
 * has an exception handler of its own.
 */
final class ReactiveLimitExceededHandler implements WebExceptionHandler, Ordered {
  /** Before the handlers of Spring and Spring Boot, which answer with status 500. */
  @Override
  public int getOrder() {
    return -2;
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, Throwable problem) {
    if (!(problem instanceof LimitExceededException exceeded)
        || exchange.getResponse().isCommitted()) {
      return Mono.error(problem);
    }
    return ReactiveProblemResponse.writeDenial(exceeded.result(), exchange);
  }
}
