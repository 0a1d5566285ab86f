package io.headgate.server.http.check;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.limit.LeakyBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.server.api.ClientAddress;
import io.headgate.server.api.ForwardedHeader;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.RateLimitHeaders;
import io.headgate.server.api.RoundedTimes;
import io.headgate.server.api.TrustedProxies;
import io.headgate.server.http.transport.Exchange;
import io.headgate.store.Ticker;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The endpoint that proxies ask before they pass a request on: yes is 204, no is a status. */
public final class ForwardAuth {
  private static final Logger LOG = LoggerFactory.getLogger(ForwardAuth.class);
  private static final AtomicBoolean WARNED = new AtomicBoolean();

  /** The rule's own status, where the proxy asked for another. */
  static final String RULE_STATUS = "X-Headgate-Status";

  private final RateLimiter limiter;
  private final CheckService asking;
  private final TrustedProxies proxies;
  private final RateLimitHeaders headers;
  private @Nullable RuleSet looked;
  private boolean queues;

  public ForwardAuth(
      RateLimiter limiter, CheckService asking, TrustedProxies proxies, Ticker ticker) {
    this.limiter = limiter;
    this.asking = asking;
    this.proxies = proxies;
    this.headers = new RateLimitHeaders(ticker);
  }

  public void ask(Exchange exchange, byte[] body) {
    var said = exchange.headers();
    var peer = exchange.peer();
    if (!proxies.isTrusted(peer) && said.contains(ForwardedHeader.X_REAL_IP.field())) warn(peer);
    int denied = ForwardAuthHeaders.denyStatus(said).orElse(0);
    Request request;
    OptionalLong maxWait;
    try {
      request = ForwardAuthHeaders.read(said, proxies.caller(peer, said::getAll));
      maxWait = ForwardAuthHeaders.maxWaitMillis(said);
    } catch (ProblemException e) {
      deny(exchange, e.problem(), denied);
      return;
    }
    if (maxWait.isPresent() && hasQueues()) {
      // Looked at first: a request that is denied must not keep its place in the queue.
      asking.ask(
          exchange,
          () -> limiter.peek(request),
          seen -> {
            if (isTooLong(seen, maxWait)) denyWait(exchange, seen, denied);
            else decide(exchange, request, denied, maxWait);
          });
    } else {
      decide(exchange, request, denied, maxWait);
    }
  }

  /** Denies a request that can't be decided, in a status that the proxy takes for a denial. */
  private static void deny(Exchange exchange, ProblemDocument problem, int denied) {
    if (denied == 0) {
      exchange.answer(problem);
    } else {
      exchange.header(RULE_STATUS, Integer.toString(problem.status()));
      exchange.answer(denied, ProblemDocument.MEDIA_TYPE, problem.json());
    }
  }

  private void decide(Exchange exchange, Request request, int denied, OptionalLong maxWait) {
    asking.decide(exchange, request, result -> decided(exchange, result, denied, maxWait));
  }

  /** Of the rules in force, which this event loop looks through once. */
  @SuppressWarnings("ReferenceEquality")
  private boolean hasQueues() {
    var rules = limiter.rules();
    if (rules != looked) {
      queues =
          rules.rules().stream()
              .flatMap(rule ->
                  Stream.concat(
                      rule.limits().stream(),
                      rule.overrides().stream().flatMap(other -> other.limits().stream())))
              .map(RuleLimit::limit)
              .anyMatch(limit ->
                  limit instanceof LeakyBucket bucket
                      && !(bucket.line() instanceof LeakyBucket.Queue.None));
      looked = rules;
    }
    return queues;
  }

  private static boolean isTooLong(CheckResult result, OptionalLong maxWait) {
    return maxWait.isPresent() && millis(result) > maxWait.getAsLong();
  }

  private static long millis(CheckResult result) {
    return RoundedTimes.millis(RoundedTimes.micros(result.delay()));
  }

  /** The proxy would give up before the wait is over, and might then let the request pass. */
  private void denyWait(Exchange exchange, CheckResult result, int denied) {
    headers.write(result, 0, exchange::header);
    exchange.header("Retry-After", Long.toString((millis(result) + 999) / 1_000));
    refuse(exchange, Rule.TOO_MANY_REQUESTS, denied, result.violated());
  }

  private void decided(Exchange exchange, CheckResult result, int denied, OptionalLong maxWait) {
    // A proxy can't say when a request ends, so it holds no slots.
    asking.giveBack(result);
    long millis = millis(result);
    if (isTooLong(result, maxWait)) denyWait(exchange, result, denied); // others were faster
    else if (millis == 0) answer(exchange, result, denied, 0);
    else exchange.later(millis, () -> answer(exchange, result, denied, millis * 1_000), () -> {});
  }

  private void answer(Exchange exchange, CheckResult result, int denied, long waited) {
    headers.write(result, waited, exchange::header);
    if (result.isAllowed()) {
      exchange.end(204);
      return;
    }
    refuse(exchange, result.status(), denied, result.violated());
  }

  private static void refuse(Exchange exchange, int status, int denied, List<String> violated) {
    if (denied > 0) exchange.header(RULE_STATUS, Integer.toString(status));
    var out = new JsonWriter().begin();
    out.name("type").value(CheckResultJson.QUOTA_EXCEEDED);
    out.name("title").value("Quota exceeded");
    out.name("status").value(status);
    out.name("violated-policies").value(violated);
    exchange.answer(denied > 0 ? denied : status, ProblemDocument.MEDIA_TYPE, out.end());
  }

  /** Else everybody behind that proxy would be one caller, and nobody would know why. */
  private static void warn(ClientAddress peer) {
    if (!WARNED.compareAndSet(false, true)) return;
    LOG.warn(
        "{} sends X-Real-IP but is not among --trusted-proxies, so it is taken for the caller"
            + " itself; add it if it is a proxy of yours (said once)",
        peer);
  }
}
