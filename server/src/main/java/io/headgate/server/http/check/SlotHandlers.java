package io.headgate.server.http.check;

import io.headgate.RateLimiter;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.check.CheckService;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;

/** Handles the endpoints that renew and release the slots of concurrency limits by their id. */
public final class SlotHandlers {
  /** The path of a slot, without its id. */
  static final String PATH = "/v1/slots/";

  private final CheckService checkService;

  public SlotHandlers(CheckService checkService) {
    this.checkService = checkService;
  }

  /** Renews a slot. */
  public void renew(Exchange exchange, byte[] body) {
    String id = exchange.lastSegment();
    checkService.call(
        exchange,
        limiter -> renewed(limiter, id),
        renewed -> {
          if (!renewed) throw ended("renewed");
          var out = new JsonWriter().begin().name("renewed").value(true).name("id").value(id);
          exchange.answer(200, MediaTypes.JSON, out.end());
        });
  }

  /** Releases a slot. */
  public void release(Exchange exchange, byte[] body) {
    String id = exchange.lastSegment();
    checkService.call(
        exchange,
        limiter -> released(limiter, id),
        released -> {
          if (!released) throw ended("released");
          exchange.end(204);
        });
  }

  private static boolean renewed(RateLimiter limiter, String id) {
    try {
      return limiter.renew(id);
    } catch (IllegalArgumentException e) {
      throw notAnId();
    }
  }

  private static boolean released(RateLimiter limiter, String id) {
    try {
      return limiter.release(id);
    } catch (IllegalArgumentException e) {
      throw notAnId();
    }
  }

  private static ProblemException notAnId() {
    return ProblemException.badInput(
        "id", "is not the id of a slot; use the id that acquiring it returned");
  }

  private static ProblemException ended(String what) {
    return new ProblemException(
        ProblemDocument.of(
            404,
            "this slot has expired or was released and can't be %s; acquire another with POST /v1/slots"
                .formatted(what)));
  }
}
