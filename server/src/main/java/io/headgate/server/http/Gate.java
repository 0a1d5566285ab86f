package io.headgate.server.http;

import io.headgate.Verdict;
import io.headgate.rule.Request;
import io.headgate.store.Ticker;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The endpoint that proxies ask before they pass a request on: yes is 204, no is a status. */
final class Gate {
  private static final Logger LOG = LoggerFactory.getLogger(Gate.class);
  private static final AtomicBoolean WARNED = new AtomicBoolean();

  /** The rule's own status, where the proxy asked for another. */
  static final String RULE_STATUS = "X-Headgate-Status";

  private final Asking asking;
  private final TrustedProxies proxies;
  private final RateLimitHeaders headers;

  Gate(Asking asking, TrustedProxies proxies, Ticker ticker) {
    this.asking = asking;
    this.proxies = proxies;
    this.headers = new RateLimitHeaders(ticker);
  }

  void ask(Exchange exchange, byte[] body) {
    var said = exchange.headers();
    var peer = exchange.peer();
    if (!proxies.isTrusted(peer) && said.contains(AddressHeader.X_REAL_IP.field())) warn(peer);
    int denied = GateHeaders.denyStatus(said).orElse(0);
    Request request;
    try {
      request = GateHeaders.read(said, proxies.caller(peer, said::getAll));
    } catch (Refusal e) {
      deny(exchange, e.problem(), denied);
      return;
    }
    asking.decide(exchange, request, verdict -> decided(exchange, verdict, denied));
  }

  /** Denies a request that can't be decided, in a status that the proxy takes for a denial. */
  private static void deny(Exchange exchange, Problem problem, int denied) {
    if (denied == 0) {
      exchange.answer(problem);
    } else {
      exchange.header(RULE_STATUS, Integer.toString(problem.status()));
      exchange.answer(denied, Problem.MEDIA_TYPE, problem.json());
    }
  }

  private void decided(Exchange exchange, Verdict verdict, int denied) {
    // A proxy can't say when a request ends, so it holds no slots.
    asking.giveBack(verdict);
    long millis = Times.millis(Times.micros(verdict.delay()));
    if (millis == 0) answer(exchange, verdict, denied, 0);
    else exchange.later(millis, () -> answer(exchange, verdict, denied, millis * 1_000), () -> {});
  }

  private void answer(Exchange exchange, Verdict verdict, int denied, long waited) {
    headers.put(exchange, verdict, waited);
    if (verdict.isAllowed()) {
      exchange.end(204);
      return;
    }
    if (denied > 0) exchange.header(RULE_STATUS, Integer.toString(verdict.status()));
    var out = new JsonOut().begin();
    out.name("type").value(DecisionBody.QUOTA_EXCEEDED);
    out.name("title").value("Quota exceeded");
    out.name("status").value(verdict.status());
    out.name("violated-policies").value(verdict.violated());
    exchange.answer(denied > 0 ? denied : verdict.status(), Problem.MEDIA_TYPE, out.end());
  }

  /** Else everybody behind that proxy would be one caller, and nobody would know why. */
  private static void warn(Address peer) {
    if (!WARNED.compareAndSet(false, true)) return;
    LOG.warn(
        "{} sends X-Real-IP but is not among --trusted-proxies, so it is taken for the caller"
            + " itself; add it if it is a proxy of yours (said once)",
        peer);
  }
}
