package io.headgate.server.http.check;

import io.headgate.RateLimiter;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;

/** Keeps and gives back slots in flight, by the id that taking them gave. */
public final class SlotHandlers {
  private final RateLimiter limiter;
  private final CheckService asking;

  public SlotHandlers(RateLimiter limiter, CheckService asking) {
    this.limiter = limiter;
    this.asking = asking;
  }

  public void renew(Exchange exchange, byte[] body) {
    String id = exchange.lastSegment();
    asking.ask(
        exchange,
        () -> renewed(id),
        renewed -> {
          if (!renewed) throw ended("renewed");
          var out = new JsonWriter().begin().name("renewed").value(true).name("id").value(id);
          exchange.answer(200, MediaTypes.JSON, out.end());
        });
  }

  public void release(Exchange exchange, byte[] body) {
    String id = exchange.lastSegment();
    asking.ask(
        exchange,
        () -> released(id),
        released -> {
          if (!released) throw ended("released");
          exchange.end(204);
        });
  }

  private boolean renewed(String id) {
    try {
      return limiter.renew(id);
    } catch (IllegalArgumentException e) {
      throw notAnId();
    }
  }

  private boolean released(String id) {
    try {
      return limiter.release(id);
    } catch (IllegalArgumentException e) {
      throw notAnId();
    }
  }

  private static ProblemException notAnId() {
    return ProblemException.badInput(
        "id", "is not that of a lease; use the one that acquiring it gave");
  }

  private static ProblemException ended(String what) {
    return new ProblemException(
        ProblemDocument.of(
            404,
            "this lease has ended and can't be %s; acquire another with POST /v1/slots"
                .formatted(what)));
  }
}
