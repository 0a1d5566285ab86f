package io.headgate.server.http.check;

import io.headgate.RateLimiter;
import io.headgate.server.http.transport.Exchange;

/** Handles the endpoint at which backends report their load. */
public final class SignalHandlers {
  private final RateLimiter limiter;

  /** Creates handlers that pass signals to the limiter. */
  public SignalHandlers(RateLimiter limiter) {
    this.limiter = limiter;
  }

  /**
   * Accepts a signal and answers 204, before the store has it. The instance of the backend is the
   * field {@code reporter}, or else the address of the client.
   */
  public void report(Exchange exchange, byte[] body) {
    var signal = SignalReader.read(body);
    String reporter = signal.reporter().orElseGet(() -> exchange.peer().toString());
    limiter.signals().report(signal.subject(), reporter, signal.signal());
    exchange.end(204);
  }
}
