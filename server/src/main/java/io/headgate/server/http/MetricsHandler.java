package io.headgate.server.http;

import io.headgate.server.metrics.Metrics;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;

/** The figures for Prometheus, put together while the event loop does other things. */
final class MetricsHandler {
  private final Metrics metrics;

  MetricsHandler(Metrics metrics) {
    this.metrics = metrics;
  }

  void answer(Exchange exchange, byte[] body) {
    String accept = exchange.asked(HttpHeaders.ACCEPT).orElse("");
    exchange.when(
        LargeTaskExecutor.supply(() -> metrics.page(accept)),
        page -> exchange.answer(200, page.mediaType(), Buffer.buffer(page.bytes())));
  }
}
