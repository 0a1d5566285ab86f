package io.headgate.server.http.check;

import io.headgate.Reservation;
import io.headgate.ReservationState;
import io.headgate.http.ResultStatus;
import io.headgate.http.TextSyntax;
import io.headgate.rule.ReservationSettings;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.RateLimitHeaders;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.check.CheckService;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.store.Ticker;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Handles the endpoints that reserve permits, update, settle and cancel reservations by their id,
 * and report usage.
 */
public final class ReservationHandlers {
  private static final String PATH = "/v1/reservations/";

  /** The position of the id in {@code /v1/reservations/ID}. */
  private static final int ID_SEGMENT = 2;

  /** The highest number of counters in a list. */
  private static final int MAX_COUNTERS = 20;

  private final Function<Exchange, CallerMask> masks;
  private final CheckService checkService;
  private final RateLimitHeaders headers;

  /**
   * Creates handlers.
   *
   * @param ticker the clock for reset times
   * @param masks returns how callers are shown to the client of a request
   */
  public ReservationHandlers(
      CheckService checkService, Ticker ticker, Function<Exchange, CallerMask> masks) {
    this.masks = masks;
    this.checkService = checkService;
    this.headers = new RateLimitHeaders(ticker);
  }

  /** Reserves the estimated costs of a request: 201 with an id, or the status of a denial. */
  public void reserve(Exchange exchange, byte[] body) {
    var check = CheckRequestReader.readOne(body, CheckField.OF_RESERVATION);
    var unused = checkService.costs().unused(check.request(), exchange.isStrict());
    checkService.reserve(
        exchange,
        check.request(),
        check.ttl().orElse(ReservationSettings.MAX_TTL),
        reservation -> reserved(exchange, reservation, unused));
  }

  private void reserved(Exchange exchange, Reservation reservation, List<String> unspent) {
    if (exchange.isClosed()) {
      // The client never learns the id. If this fails, the reservation expires.
      if (reservation.id().isPresent()) {
        var unused = reservation.cancelAsync();
      }
      return;
    }
    var result = reservation.result();
    headers.write(result, 0, exchange::header);
    var out = new JsonWriter();
    if (reservation.id().isPresent()) {
      exchange.header(HttpHeaders.LOCATION, PATH + reservation.id().get());
      ReservationJson.write(out, reservation, unspent);
      exchange.answer(201, MediaTypes.JSON, out);
    } else if (exchange.acceptsProblem()) {
      CheckResultJson.writeProblem(out, result, false, unspent);
      exchange.answer(ResultStatus.of(result), ProblemDocument.MEDIA_TYPE, out);
    } else {
      CheckResultJson.write(out, result, 0, false, unspent);
      exchange.answer(ResultStatus.of(result), MediaTypes.JSON, out);
    }
  }

  /** Answers with the counters of which open reservations hold most, of all rules or of one. */
  public void list(Exchange exchange, byte[] body) {
    var rule = exchange.query(Set.of("rule")).text("rule").filter(id -> !id.isEmpty());
    checkService.reservationUsage(
        exchange,
        id -> rule.isEmpty() || rule.get().equals(id),
        MAX_COUNTERS,
        (open, usages) -> {
          var mask = masks.apply(exchange);
          var out = new JsonWriter().begin();
          out.name("open").value(open).name("masked").value(mask.isActive());
          out.name("counters").beginList();
          for (var usage : usages) ReservationJson.write(out, usage, mask);
          out.endList();
          exchange.answer(200, MediaTypes.JSON, out.end());
        });
  }

  /** Records the usage so far, may add permits, and tells whether the client may go on. */
  public void update(Exchange exchange, byte[] body) {
    var update = UsageReader.readUpdate(body);
    String id = exchange.segment(ID_SEGMENT);
    var ttl = update.ttl().orElse(ReservationSettings.MAX_TTL);
    checkService.reservation(
        exchange,
        all -> all.updateAsync(id, update.used(), update.more(), ttl),
        answered(
            exchange,
            id,
            state -> {
              var out = new JsonWriter();
              ReservationJson.writeUpdate(out, state, update.used());
              exchange.answer(200, MediaTypes.JSON, out);
            }));
  }

  /** Charges the real cost and returns the rest. */
  public void settle(Exchange exchange, byte[] body) {
    var actual = UsageReader.readSettlement(body);
    String id = exchange.segment(ID_SEGMENT);
    checkService.reservation(
        exchange,
        all -> all.settleAsync(id, actual),
        answered(
            exchange,
            id,
            state -> {
              var out = new JsonWriter();
              ReservationJson.writeSettlement(out, state, actual);
              exchange.answer(200, MediaTypes.JSON, out);
            }));
  }

  /** Returns everything. */
  public void cancel(Exchange exchange, byte[] body) {
    String id = exchange.segment(ID_SEGMENT);
    checkService.reservation(
        exchange, all -> all.cancelAsync(id), answered(exchange, id, state -> exchange.end(204)));
  }

  /** Charges usage after the fact, even beyond the limits. */
  public void usage(Exchange exchange, byte[] body) {
    var check = CheckRequestReader.readOne(body, CheckField.OF_PEEK);
    var unused = checkService.costs().unused(check.request(), exchange.isStrict());
    checkService.charge(
        exchange,
        check.request(),
        result -> {
          headers.write(result, 0, exchange::header);
          var out = new JsonWriter();
          CheckResultJson.write(out, result, 0, false, unused);
          exchange.answer(200, MediaTypes.JSON, out);
        });
  }

  private static Consumer<ReservationState> answered(
      Exchange exchange, String id, Consumer<ReservationState> then) {
    return state -> {
      if (exchange.isClosed()) return;
      if (state instanceof ReservationState.Unknown(var reason)) throw unknown(id, reason);
      then.accept(state);
    };
  }

  private static ProblemException unknown(String id, String reason) {
    return new ProblemException(
        ProblemDocument.of(
            404, "there is no reservation '%s': %s".formatted(TextSyntax.excerpt(id), reason)));
  }
}
