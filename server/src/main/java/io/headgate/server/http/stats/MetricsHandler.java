package io.headgate.server.http.stats;

import io.headgate.server.http.transport.Exchange;
import io.headgate.server.http.transport.LargeTaskExecutor;
import io.headgate.server.metrics.Metrics;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;

/**
 * Handles the Prometheus endpoint. The page is written on a virtual thread, not on the event loop.
 */
public final class MetricsHandler {
  private final Metrics metrics;

  public MetricsHandler(Metrics metrics) {
    this.metrics = metrics;
  }

  /** Answers with all metrics, in the format that the client accepts. */
  public void answer(Exchange exchange, byte[] body) {
    String accept = exchange.requestHeader(HttpHeaders.ACCEPT).orElse("");
    exchange.whenComplete(
        LargeTaskExecutor.supply(() -> metrics.page(accept)),
        page -> exchange.answer(200, page.mediaType(), Buffer.buffer(page.bytes())));
  }
}
