package io.headgate.server.http.check;

import io.headgate.RateLimiter;
import io.headgate.http.TextSyntax;
import io.headgate.load.CompletedCall;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.check.CheckService;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import java.util.Optional;

/** Handles the endpoints that renew and release the slots of concurrency limits by their id. */
public final class SlotHandlers {
  /** The path of a slot, without its id. */
  static final String PATH = "/v1/slots/";

  /** The position of the id in {@code /v1/slots/ID}. */
  private static final int ID_SEGMENT = 2;

  private final CheckService checkService;

  public SlotHandlers(CheckService checkService) {
    this.checkService = checkService;
  }

  /** Renews a slot. */
  public void renew(Exchange exchange, byte[] body) {
    String id = exchange.segment(ID_SEGMENT);
    checkService.call(
        exchange,
        limiter -> renewed(limiter, id),
        renewed -> {
          if (!renewed) throw ended(id, "renewed");
          var out = new JsonWriter().begin().name("renewed").value(true).name("id").value(id);
          exchange.answer(200, MediaTypes.JSON, out.end());
        });
  }

  /** Releases a slot, with the outcome and the duration of its call if the client reports them. */
  public void release(Exchange exchange, byte[] body) {
    String id = exchange.segment(ID_SEGMENT);
    var call = ReleaseParameters.read(exchange.query(ReleaseParameters.NAMES));
    checkService.call(
        exchange,
        limiter -> released(limiter, id, call),
        released -> {
          if (!released) throw ended(id, "released");
          exchange.end(204);
        });
  }

  private static boolean renewed(RateLimiter limiter, String id) {
    try {
      return limiter.renew(id);
    } catch (IllegalArgumentException e) {
      throw notAnId(id);
    }
  }

  private static boolean released(RateLimiter limiter, String id, Optional<CompletedCall> call) {
    try {
      return call.isPresent() ? limiter.release(id, call.get()) : limiter.release(id);
    } catch (IllegalArgumentException e) {
      throw notAnId(id);
    }
  }

  private static ProblemException notAnId(String id) {
    return ProblemException.badInput(
        "id",
        "'%s' is not the id of a slot; use the id that acquiring it returned"
            .formatted(TextSyntax.excerpt(id)));
  }

  private static ProblemException ended(String id, String what) {
    return new ProblemException(
        ProblemDocument.of(
            404,
            "the slot '%s' has expired or was released and can't be %s; acquire another with POST /v1/slots"
                .formatted(TextSyntax.excerpt(id), what)));
  }
}
