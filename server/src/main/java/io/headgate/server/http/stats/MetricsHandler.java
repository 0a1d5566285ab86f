package io.headgate.server.http.stats;

import io.headgate.server.http.transport.Exchange;
import io.headgate.server.http.transport.LargeTaskExecutor;
import io.headgate.server.metrics.Metrics;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;

/** The figures for Prometheus, put together while the event loop does other things. */
public final class MetricsHandler {
  private final Metrics metrics;

  public MetricsHandler(Metrics metrics) {
    this.metrics = metrics;
  }

  public void answer(Exchange exchange, byte[] body) {
    String accept = exchange.asked(HttpHeaders.ACCEPT).orElse("");
    exchange.when(
        LargeTaskExecutor.supply(() -> metrics.page(accept)),
        page -> exchange.answer(200, page.mediaType(), Buffer.buffer(page.bytes())));
  }
}
