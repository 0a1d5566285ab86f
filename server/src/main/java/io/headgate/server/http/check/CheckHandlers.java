package io.headgate.server.http.check;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.RateLimitHeaders;
import io.headgate.server.api.RoundedTimes;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.store.Ticker;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The endpoints that ask whether a request may go ahead. */
public final class CheckHandlers {
  private final RateLimiter limiter;
  private final CheckService asking;
  private final Ticker ticker;
  private final RateLimitHeaders headers;

  public CheckHandlers(RateLimiter limiter, CheckService asking, Ticker ticker) {
    this.limiter = limiter;
    this.asking = asking;
    this.ticker = ticker;
    this.headers = new RateLimitHeaders(ticker);
  }

  public void check(Exchange exchange, byte[] body) {
    var asked = CheckRequestReader.readOne(body, CheckField.OF_CHECK);
    asking.decide(exchange, asked.request(), result -> decided(exchange, asked, result));
  }

  private void decided(Exchange exchange, CheckRequest asked, CheckResult result) {
    if (exchange.isGone()) {
      asking.giveBack(result);
      return;
    }
    long delay = RoundedTimes.micros(result.delay());
    if (!asked.waits() || delay == 0) {
      answer(exchange, result, 0, true);
      return;
    }
    long millis = RoundedTimes.millis(delay);
    exchange.later(
        millis,
        () -> answer(exchange, result, millis * 1_000, true),
        // Its place in the line can't be taken by others, but its slots in flight can.
        () -> asking.giveBack(result));
  }

  public void peek(Exchange exchange, byte[] body) {
    var asked = CheckRequestReader.readOne(body, CheckField.OF_PEEK);
    asking.ask(
        exchange,
        () -> limiter.peek(asked.request()),
        result -> answer(exchange, result, 0, false));
  }

  public void batch(Exchange exchange, byte[] body) {
    var checks = CheckRequestReader.readBatch(body); // all of them, before the first is charged
    var requests = checks.stream().map(CheckRequest::request).toList();
    asking.decideAll(
        exchange,
        requests,
        results -> {
          if (exchange.isGone()) {
            results.forEach(asking::giveBack);
            return;
          }
          var out = new JsonWriter().begin().name("decisions").beginList();
          for (var result : results) CheckResultJson.write(out, result, 0, true);
          exchange.answer(200, MediaTypes.JSON, out.endList().end());
        });
  }

  private void answer(Exchange exchange, CheckResult result, long waited, boolean charged) {
    headers.write(result, waited, exchange::header);
    var out = new JsonWriter();
    if (!result.isAllowed() && exchange.acceptsProblem()) {
      CheckResultJson.writeProblem(out, result, charged);
      exchange.answer(result.status(), ProblemDocument.MEDIA_TYPE, out);
    } else {
      CheckResultJson.write(out, result, waited, charged);
      exchange.answer(result.status(), MediaTypes.JSON, out);
    }
  }

  /** The shape that some clients know from elsewhere: tokens of a key, and when all are back. */
  public void tokens(Exchange exchange, byte[] body) {
    var asked = CheckRequestReader.readOne(body, CheckField.OF_TOKENS);
    asking.decide(exchange, asked.request(), result -> answerTokens(exchange, asked, result));
  }

  private void answerTokens(Exchange exchange, CheckRequest asked, CheckResult result) {
    // The answer has no lease, so nobody could say when the request ends: it holds no slots.
    asking.giveBack(result);
    headers.write(result, 0, exchange::header);
    var out = new JsonWriter().begin();
    out.name("key").value(asked.subject().toString());
    out.name("tokensRequested").value(asked.request().cost());
    out.name("allowed").value(result.isAllowed());
    var limit = result.limit();
    if (limit.isPresent()) out.name("tokensRemaining").value(limit.get().remaining());
    else out.name("tokensRemaining").nothing();
    long reset = limit.map(report -> RoundedTimes.micros(report.resetAfter())).orElse(0L);
    out.name("resetTime").value(instant(ticker.micros() + reset).toString());
    exchange.answer(result.isAllowed() ? 200 : 429, MediaTypes.JSON, out.end());
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(RoundedTimes.millis(micros), ChronoUnit.MILLIS);
  }
}
