package io.headgate.server.http.check;

import io.headgate.RateLimiter;
import io.headgate.CheckResult;
import io.headgate.store.Ticker;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.RateLimitHeaders;
import io.headgate.server.api.RoundedTimes;

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
    asking.decide(exchange, asked.request(), verdict -> decided(exchange, asked, verdict));
  }

  private void decided(Exchange exchange, CheckRequest asked, CheckResult verdict) {
    if (exchange.isGone()) {
      asking.giveBack(verdict);
      return;
    }
    long delay = RoundedTimes.micros(verdict.delay());
    if (!asked.waits() || delay == 0) {
      answer(exchange, verdict, 0, true);
      return;
    }
    long millis = RoundedTimes.millis(delay);
    exchange.later(
        millis,
        () -> answer(exchange, verdict, millis * 1_000, true),
        // Its place in the line can't be taken by others, but its slots in flight can.
        () -> asking.giveBack(verdict));
  }

  public void peek(Exchange exchange, byte[] body) {
    var asked = CheckRequestReader.readOne(body, CheckField.OF_PEEK);
    asking.ask(
        exchange,
        () -> limiter.peek(asked.request()),
        verdict -> answer(exchange, verdict, 0, false));
  }

  public void batch(Exchange exchange, byte[] body) {
    var checks = CheckRequestReader.readBatch(body); // all of them, before the first is charged
    var requests = checks.stream().map(CheckRequest::request).toList();
    asking.decideAll(
        exchange,
        requests,
        verdicts -> {
          if (exchange.isGone()) {
            verdicts.forEach(asking::giveBack);
            return;
          }
          var out = new JsonWriter().begin().name("decisions").beginList();
          for (var verdict : verdicts) CheckResultJson.write(out, verdict, 0, true);
          exchange.answer(200, MediaTypes.JSON, out.endList().end());
        });
  }

  private void answer(Exchange exchange, CheckResult verdict, long waited, boolean charged) {
    headers.write(verdict, waited, exchange::header);
    var out = new JsonWriter();
    if (!verdict.isAllowed() && exchange.acceptsProblem()) {
      CheckResultJson.writeProblem(out, verdict, charged);
      exchange.answer(verdict.status(), ProblemDocument.MEDIA_TYPE, out);
    } else {
      CheckResultJson.write(out, verdict, waited, charged);
      exchange.answer(verdict.status(), MediaTypes.JSON, out);
    }
  }

  /** The shape that some clients know from elsewhere: tokens of a key, and when all are back. */
  public void tokens(Exchange exchange, byte[] body) {
    var asked = CheckRequestReader.readOne(body, CheckField.OF_TOKENS);
    asking.decide(exchange, asked.request(), verdict -> answerTokens(exchange, asked, verdict));
  }

  private void answerTokens(Exchange exchange, CheckRequest asked, CheckResult verdict) {
    // The answer has no lease, so nobody could say when the request ends: it holds no slots.
    asking.giveBack(verdict);
    headers.write(verdict, 0, exchange::header);
    var out = new JsonWriter().begin();
    out.name("key").value(asked.subject().toString());
    out.name("tokensRequested").value(asked.request().cost());
    out.name("allowed").value(verdict.isAllowed());
    var limit = verdict.limit();
    if (limit.isPresent()) out.name("tokensRemaining").value(limit.get().remaining());
    else out.name("tokensRemaining").nothing();
    long reset = limit.map(report -> RoundedTimes.micros(report.resetAfter())).orElse(0L);
    out.name("resetTime").value(instant(ticker.micros() + reset).toString());
    exchange.answer(verdict.isAllowed() ? 200 : 429, MediaTypes.JSON, out.end());
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(RoundedTimes.millis(micros), ChronoUnit.MILLIS);
  }
}
