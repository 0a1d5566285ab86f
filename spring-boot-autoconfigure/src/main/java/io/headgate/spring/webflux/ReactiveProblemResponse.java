package io.headgate.spring.webflux;

import io.headgate.CheckResult;
import io.headgate.http.AmbiguousPathException;
import io.headgate.http.DenialProblem;
import io.headgate.http.RateLimitFields;
import io.headgate.store.Ticker;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Writes rate-limit headers and problem documents. */
final class ReactiveProblemResponse {
  private static final String UNAVAILABLE =
      "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,"
          + "\"detail\":\"the limits of this request can't be checked; retry later\"}";

  private static final RateLimitFields FIELDS = new RateLimitFields(Ticker.system());

  /** Sets the headers of a result. */
  static void writeHeaders(CheckResult result, long waited, HttpHeaders headers) {
    FIELDS.write(result, waited, (field, value) -> headers.set(field.field(), value.toString()));
  }

  /** Writes the response to a denied request, on the {@link ConnectionThread}. */
  static Mono<Void> writeDenial(CheckResult result, ServerWebExchange exchange) {
    var response = exchange.getResponse();
    return Mono.defer(
            () -> {
              writeHeaders(result, 0, response.getHeaders());
              var problem = DenialProblem.of(result);
              return write(response, problem.status(), problem.json());
            })
        .subscribeOn(ConnectionThread.of(exchange.getRequest()));
  }

  /**
   * Writes the response to a request that may match other rules than the handler it reaches, on the
   * {@link ConnectionThread}.
   */
  static Mono<Void> writeAmbiguous(AmbiguousPathException problem, ServerWebExchange exchange) {
    var response = exchange.getResponse();
    return Mono.defer(
            () -> {
              response.getHeaders().setCacheControl("no-store");
              return write(response, 400, problem.json());
            })
        .subscribeOn(ConnectionThread.of(exchange.getRequest()));
  }

  /** Writes the response to a request that can't be decided. */
  static Mono<Void> writeUnavailable(ServerHttpResponse response) {
    response.getHeaders().setCacheControl("no-store");
    return write(response, 503, UNAVAILABLE);
  }

  private static Mono<Void> write(ServerHttpResponse response, int status, String json) {
    var body = json.getBytes(StandardCharsets.UTF_8);
    response.setStatusCode(HttpStatusCode.valueOf(status));
    response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    response.getHeaders().setContentLength(body.length);
    return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
  }

  private ReactiveProblemResponse() {}
}
