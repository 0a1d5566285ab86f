package io.headgate.server.http.check;

import io.headgate.CheckResult;
import io.headgate.http.ResultStatus;
import io.headgate.http.RoundedTimes;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.RateLimitHeaders;
import io.headgate.server.check.CheckService;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.store.Ticker;
import io.vertx.core.http.HttpHeaders;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Handles the endpoints that decide requests: check, peek, batch and the acquisition of slots. */
public final class CheckHandlers {
  /** What a request does besides being decided. */
  private enum Kind {
    CHECK,
    PEEK,
    ACQUIRE
  }

  private final CheckService checkService;
  private final Ticker ticker;
  private final RateLimitHeaders headers;

  /**
   * @param ticker the clock for reset times
   */
  public CheckHandlers(CheckService checkService, Ticker ticker) {
    this.checkService = checkService;
    this.ticker = ticker;
    this.headers = new RateLimitHeaders(ticker);
  }

  /** Decides one request. With {@code wait}, the response is sent when the delay has passed. */
  public void check(Exchange exchange, byte[] body) {
    decide(exchange, body, Kind.CHECK);
  }

  /**
   * Decides one request like {@link #check}. Answers 201 if the request has acquired a slot, and
   * 200 if it is allowed by rules without a concurrency limit.
   */
  public void acquire(Exchange exchange, byte[] body) {
    decide(exchange, body, Kind.ACQUIRE);
  }

  private void decide(Exchange exchange, byte[] body, Kind kind) {
    var check = CheckRequestReader.readOne(body, CheckField.OF_CHECK);
    var unused = checkService.costs().unused(check.request(), exchange.isStrict());
    checkService.check(
        exchange, check.request(), result -> decided(exchange, check, result, kind, unused));
  }

  private void decided(
      Exchange exchange, CheckRequest check, CheckResult result, Kind kind, List<String> unused) {
    if (exchange.isClosed()) {
      checkService.releaseSlots(result);
      return;
    }
    long delay = RoundedTimes.micros(result.delay());
    if (!check.waits() || delay == 0) {
      answer(exchange, result, 0, kind, unused);
      return;
    }
    long millis = RoundedTimes.millis(delay);
    exchange.runAfter(
        millis,
        () -> answer(exchange, result, millis * 1_000, kind, unused),
        // Its place in the queue can't be reused, but its slots can.
        () -> checkService.releaseSlots(result));
  }

  /** Answers like a check, but charges nothing. */
  public void peek(Exchange exchange, byte[] body) {
    var check = CheckRequestReader.readOne(body, CheckField.OF_PEEK);
    var unused = checkService.costs().unused(check.request(), exchange.isStrict());
    checkService.call(
        exchange,
        limiter -> limiter.peek(check.request()),
        result -> answer(exchange, result, 0, Kind.PEEK, unused));
  }

  /** Decides up to 1,000 requests, each on its own. */
  public void batch(Exchange exchange, byte[] body) {
    var checks = CheckRequestReader.readBatch(body); // parses all before the first is charged
    var requests = checks.stream().map(CheckRequest::request).toList();
    var unused = checkService.costs().unusedOfEach(requests, exchange.isStrict());
    checkService.checkEach(
        exchange,
        requests,
        results -> {
          if (exchange.isClosed()) {
            results.forEach(checkService::releaseSlots);
            return;
          }
          var out = new JsonWriter().begin().name("decisions").beginList();
          for (int i = 0; i < results.size(); i++) {
            var own = unused.isEmpty() ? List.<String>of() : unused.get(i);
            CheckResultJson.write(out, results.get(i), 0, true, own);
          }
          exchange.answer(200, MediaTypes.JSON, out.endList().end());
        });
  }

  private void answer(
      Exchange exchange, CheckResult result, long waited, Kind kind, List<String> unused) {
    headers.write(result, waited, exchange::addHeader);
    boolean charged = kind != Kind.PEEK;
    var out = new JsonWriter();
    if (!result.isAllowed() && exchange.acceptsProblem()) {
      CheckResultJson.writeProblem(out, result, charged, unused);
      exchange.answer(ResultStatus.of(result), ProblemDocument.MEDIA_TYPE, out);
    } else {
      CheckResultJson.write(out, result, waited, charged, unused);
      boolean acquires = kind == Kind.ACQUIRE && result.isAllowed();
      var slot = acquires ? result.slotId() : Optional.<String>empty();
      slot.ifPresent(id -> exchange.header(HttpHeaders.LOCATION, SlotHandlers.PATH + id));
      exchange.answer(
          slot.isPresent() ? 201 : ResultStatus.of(result), MediaTypes.ENCODED_JSON, out);
    }
  }

  /**
   * Decides a request in the format of a common tutorial API: tokens of a key, and when all are
   * available again.
   */
  public void tokens(Exchange exchange, byte[] body) {
    var check = CheckRequestReader.readOne(body, CheckField.OF_TOKENS);
    var unusedNames =
        checkService.costs().unused(check.request(), false); // the format has no place
    checkService.check(exchange, check.request(), result -> answerTokens(exchange, check, result));
  }

  private void answerTokens(Exchange exchange, CheckRequest check, CheckResult result) {
    // The response has no slot id, so the client can't release slots: none are kept.
    checkService.releaseSlots(result);
    headers.write(result, 0, exchange::addHeader);
    var out = new JsonWriter().begin();
    out.name("key").value(check.subject().toString());
    out.name("tokensRequested").value(check.request().cost());
    out.name("allowed").value(result.isAllowed());
    var limit = result.limit();
    boolean known = limit.isPresent() && limit.get().isKnown();
    if (known) out.name("tokensRemaining").value(limit.get().remaining());
    else out.name("tokensRemaining").nullValue();
    if (known || limit.isEmpty()) {
      long reset = limit.map(report -> RoundedTimes.micros(report.resetAfter())).orElse(0L);
      out.name("resetTime").value(instant(ticker.micros() + reset).toString());
    } else {
      out.name("resetTime").nullValue();
    }
    exchange.answer(result.isAllowed() ? 200 : 429, MediaTypes.JSON, out.end());
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(RoundedTimes.millis(micros), ChronoUnit.MILLIS);
  }
}
