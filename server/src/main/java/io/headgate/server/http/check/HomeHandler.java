package io.headgate.server.http.check;

import io.headgate.RateLimiter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.store.StoreView;
import io.vertx.core.buffer.Buffer;

/**
 * Handles the endpoint at which instances of other regions hold and charge permits at home, if they
 * have no connection to its Redis.
 */
public final class HomeHandler {
  private final StoreView store;

  /** Creates a handler that executes calls on the limiter's store. */
  public HomeHandler(RateLimiter limiter) {
    this.store = new StoreView(limiter.store());
  }

  /** Executes a call and answers 200 with the reply of home's Redis, which may be a failure. */
  public void execute(Exchange exchange, byte[] body) {
    var region =
        store
            .region()
            .orElseThrow(() ->
                notHome("this service has no region; start it with --region and --home redis://…"));
    try {
      exchange.whenComplete(
          region.executeAtHome(body),
          reply -> {
            if (exchange.isClosed()) return;
            exchange.answer(200, MediaTypes.BINARY, Buffer.buffer(reply));
          });
    } catch (UnsupportedOperationException e) {
      throw notHome(String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException e) {
      throw ProblemException.badInput(
          "body", e.getMessage() + "; use the same version of Headgate in all regions");
    }
  }

  private static ProblemException notHome(String reason) {
    return new ProblemException(ProblemDocument.of(501, reason));
  }
}
