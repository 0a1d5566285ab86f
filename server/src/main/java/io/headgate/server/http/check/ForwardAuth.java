package io.headgate.server.http.check;

import io.headgate.CheckResult;
import io.headgate.http.AmbiguousPathException;
import io.headgate.http.ClientAddress;
import io.headgate.http.ForwardedHeader;
import io.headgate.http.ResultStatus;
import io.headgate.http.RoundedTimes;
import io.headgate.http.TrustedProxies;
import io.headgate.rule.Request;
import io.headgate.rulefile.RuleStatus;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.RateLimitHeaders;
import io.headgate.server.check.CheckService;
import io.headgate.server.http.transport.Exchange;
import io.headgate.store.Ticker;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the forward-auth endpoint, which proxies call before they forward a request: 204 if it is
 * allowed, an error status if it is denied.
 */
public final class ForwardAuth {
  private static final Logger LOG = LoggerFactory.getLogger(ForwardAuth.class);
  private static final AtomicBoolean WARNED = new AtomicBoolean();

  /** The response header with the rule's own status if the proxy requires another one. */
  static final String RULE_STATUS = "X-Headgate-Status";

  private static final String AMBIGUOUS =
      "servers read the path or the method of this request in different ways, which have different"
          + " limits; send it in its plain form";

  private final CheckService checkService;
  private final TrustedProxies proxies;
  private final RateLimitHeaders headers;
  private final Ticker ticker;

  /**
   * @param proxies the peers whose forwarding headers are evaluated
   */
  public ForwardAuth(CheckService checkService, TrustedProxies proxies, Ticker ticker) {
    this.checkService = checkService;
    this.proxies = proxies;
    this.headers = new RateLimitHeaders(ticker);
    this.ticker = ticker;
  }

  /** Decides the request that the headers describe. */
  public void handle(Exchange exchange, byte[] body) {
    var requestHeaders = exchange.headers();
    var peer = exchange.peer();
    if (!proxies.isTrusted(peer) && requestHeaders.contains(ForwardedHeader.X_REAL_IP.field()))
      warn(peer);
    int denyStatus = ForwardAuthHeaders.denyStatus(requestHeaders).orElse(0);
    List<Request> readings;
    OptionalLong maxWait;
    try {
      readings =
          ForwardAuthHeaders.read(requestHeaders, proxies.caller(peer, requestHeaders::getAll));
      maxWait = ForwardAuthHeaders.maxWaitMillis(requestHeaders);
      var unused =
          checkService.costs().unused(readings.getFirst(), false); // counted, and denied if strict
    } catch (ProblemException e) {
      deny(exchange, e.problem(), denyStatus);
      return;
    } catch (AmbiguousPathException e) {
      denyAmbiguous(exchange, String.valueOf(e.getMessage()), denyStatus);
      return;
    }
    if (!checkService.haveSameLimits(readings, ticker.micros())) {
      denyAmbiguous(exchange, AMBIGUOUS, denyStatus);
      return;
    }
    checkService.checkWithin(
        exchange,
        readings.getFirst(),
        maxWait,
        result -> decided(exchange, result, denyStatus),
        result -> denyWait(exchange, result, denyStatus));
  }

  /** Denies a request that can't be decided, with a status that the proxy treats as a denial. */
  private static void deny(Exchange exchange, ProblemDocument problem, int denyStatus) {
    if (denyStatus == 0) {
      exchange.answer(problem);
    } else {
      exchange.header(RULE_STATUS, Integer.toString(problem.status()));
      exchange.answer(denyStatus, ProblemDocument.MEDIA_TYPE, problem.json());
    }
  }

  /**
   * Denies a request whose path or method has several readings. The client chose it, so the status
   * is one that no proxy treats as an error: a proxy that fails open would admit the request.
   */
  private static void denyAmbiguous(Exchange exchange, String why, int denyStatus) {
    int status = denyStatus == 0 ? ForwardAuthHeaders.FORBIDDEN : 400;
    exchange.header("Cache-Control", "no-store");
    deny(exchange, ProblemDocument.of(status, why), denyStatus);
  }

  private static long millis(CheckResult result) {
    return RoundedTimes.millis(RoundedTimes.micros(result.delay()));
  }

  /**
   * Denies a request whose delay exceeds the proxy's timeout: the proxy would give up before the
   * delay has passed and might then let the request pass.
   */
  private void denyWait(Exchange exchange, CheckResult result, int denyStatus) {
    headers.write(result, 0, exchange::header);
    exchange.header("Retry-After", Long.toString((millis(result) + 999) / 1_000));
    writeDenial(exchange, RuleStatus.TOO_MANY_REQUESTS, denyStatus, result);
  }

  private void decided(Exchange exchange, CheckResult result, int denyStatus) {
    // A proxy does not report the end of a request, so no slots are kept.
    checkService.releaseSlots(result);
    long millis = millis(result);
    if (millis == 0) answer(exchange, result, denyStatus, 0);
    else
      exchange.runAfter(
          millis, () -> answer(exchange, result, denyStatus, millis * 1_000), () -> {});
  }

  private void answer(Exchange exchange, CheckResult result, int denyStatus, long waited) {
    headers.write(result, waited, exchange::header);
    if (result.isAllowed()) {
      exchange.end(204);
      return;
    }
    writeDenial(exchange, ResultStatus.of(result), denyStatus, result);
  }

  private static void writeDenial(
      Exchange exchange, int status, int denyStatus, CheckResult result) {
    if (denyStatus > 0) exchange.header(RULE_STATUS, Integer.toString(status));
    var out = new JsonWriter().begin();
    CheckResultJson.writeProblemFields(out, result, status);
    exchange.answer(denyStatus > 0 ? denyStatus : status, ProblemDocument.MEDIA_TYPE, out.end());
  }

  /**
   * Logs once that a peer looks like a proxy that is not trusted. Without it all clients of that
   * proxy would silently share one counter.
   */
  private static void warn(ClientAddress peer) {
    if (!WARNED.compareAndSet(false, true)) return;
    LOG.warn(
        "{} sends X-Real-IP but is not among --trusted-proxies, so it counts as the caller"
            + " itself; add it if it is one of your proxies (logged once)",
        peer);
  }
}
