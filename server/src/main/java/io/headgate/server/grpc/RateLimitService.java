package io.headgate.server.grpc;

import io.headgate.RateLimiter;
import io.headgate.http.AmbiguousPathException;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.RateLimitHeaders;
import io.headgate.server.check.CheckService;
import io.headgate.server.grpc.proto.RateLimitRequest;
import io.headgate.server.grpc.proto.RateLimitResponse;
import io.headgate.server.grpc.proto.RateLimitResponse.Code;
import io.headgate.server.trace.Trace;
import io.headgate.server.trace.TraceParent;
import io.headgate.server.trace.Tracing;
import io.headgate.store.CallDeadline;
import io.headgate.store.Ticker;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Envoy's ShouldRateLimit method on one event loop. Not thread-safe. */
final class RateLimitService {
  private static final Logger LOG = LoggerFactory.getLogger(RateLimitService.class);
  private static final AtomicBoolean WARNED = new AtomicBoolean();
  private static final String REDUCE =
      "; reduce the rate_limits or max_request_headers_kb of the proxy";
  private static final String DEADLINE_EXCEEDED = "the store did not answer within grpc-deadline";

  /** The part of a client's timeout that is left for its response to arrive, and its maximum. */
  private static final int MARGIN_DIVISOR = 4;

  private static final long MAX_MARGIN_MILLIS = 5;

  private final CheckService checkService;
  private final AccessControl access;
  private final Tracing tracing;
  private final CallEnds ends;
  private final ArrivingCall arriving;
  private final long deadlineMillis;
  private final DescriptorStatuses statuses;
  private final Ticker ticker;
  private final DescriptorLimits descriptorLimits = new DescriptorLimits();

  RateLimitService(
      CheckService checkService,
      AccessControl access,
      Ticker ticker,
      GrpcSettings settings,
      Tracing tracing,
      CallEnds ends,
      ArrivingCall arriving) {
    this.checkService = checkService;
    this.access = access;
    this.tracing = tracing;
    this.ends = ends;
    this.arriving = arriving;
    this.deadlineMillis = settings.deadline().toMillis();
    this.statuses = new DescriptorStatuses(new RateLimitHeaders(ticker));
    this.ticker = ticker;
  }

  void handle(GrpcServerRequest<Buffer, RateLimitResponse> call) {
    var refusal =
        access.checkDenial(call.headers().get(HttpHeaders.AUTHORIZATION), call.connection());
    var trace = tracing.isOn() && refusal.isEmpty() ? startTrace(call) : Trace.NONE;
    var reply = new GrpcReply<>(call, trace, arriving.request());
    reply.countIn(ends);
    if (refusal.isPresent()) {
      boolean unauthenticated = refusal.get().status() == 401;
      reply.fail(
          unauthenticated ? GrpcStatus.UNAUTHENTICATED : GrpcStatus.PERMISSION_DENIED,
          refusal.get().reason());
      return;
    }
    reply.onTooLong(() ->
        deny(reply, "it has more than %d bytes".formatted(GrpcApi.MAX_MESSAGE_BYTES) + REDUCE));
    reply.receiveOne(RateLimitRequest.parser(), message -> decide(call, message, reply));
  }

  /** Denies a call that can't be decided, since an error would admit its request. */
  private static void deny(GrpcReply<RateLimitResponse> reply, String why) {
    if (WARNED.compareAndSet(false, true)) {
      LOG.warn("denied a rate limit call: {}. Further such calls are not logged", why);
    }
    reply.send(RateLimitResponse.newBuilder().setOverallCode(Code.OVER_LIMIT).build());
  }

  private Trace startTrace(GrpcServerRequest<Buffer, RateLimitResponse> call) {
    return tracing.call(call.fullMethodName(), TraceParent.of(call.headers()::getAll));
  }

  private void decide(
      GrpcServerRequest<Buffer, RateLimitResponse> call,
      RateLimitRequest message,
      GrpcReply<RateLimitResponse> reply) {
    var excess = Descriptors.excess(message);
    if (excess.isPresent()) {
      deny(reply, excess.get() + REDUCE);
      return;
    }
    var requests = Descriptors.requests(message);
    if (isRejected(requests, reply)) return;
    if (isAmbiguous(message, requests)) {
      reply.send(RateLimitResponse.newBuilder().setOverallCode(Code.OVER_LIMIT).build());
      return;
    }
    checkService.checkAll(
        reply,
        requests,
        limiter -> plan(limiter, message, requests),
        deadline(call),
        () -> reply.expire(DEADLINE_EXCEEDED),
        result -> reply.send(statuses.of(result)));
  }

  /**
   * Denies a call that lacks a cost that a rule requires, or has an unused one if the service is
   * strict. Envoy sends a plain cost only.
   */
  private boolean isRejected(List<Request> requests, GrpcReply<RateLimitResponse> reply) {
    try {
      for (var request : requests) {
        var unusedNames = checkService.costs().unused(request, false);
      }
      return false;
    } catch (ProblemException e) {
      deny(reply, e.problem().detail());
      return true;
    }
  }

  /**
   * Returns whether the path of a descriptor has readings with different limits. Such a call is
   * denied, since an error would admit its request.
   */
  private boolean isAmbiguous(RateLimitRequest message, List<Request> requests) {
    try {
      for (int i = 0; i < requests.size(); i++) {
        var descriptor = message.getDescriptors(i);
        var readings = Descriptors.readings(descriptor, requests.get(i));
        if (readings.size() == 1) continue;
        // A limit of its own has a counter for each spelling.
        if (descriptor.hasLimit() || !checkService.haveSameLimits(readings, ticker.micros())) {
          return true;
        }
      }
      return false;
    } catch (AmbiguousPathException e) {
      return true;
    }
  }

  /**
   * Returns the deadline of the settings or of the client, whichever is shorter. The store is not
   * to blame for a client that waits for less than the operator has set.
   */
  private CallDeadline deadline(GrpcServerRequest<?, ?> call) {
    long timeout = call.timeout();
    if (timeout <= 0) return new CallDeadline(Duration.ofMillis(deadlineMillis), true);
    long margin = Math.min(MAX_MARGIN_MILLIS, timeout / MARGIN_DIVISOR);
    long millis = Math.min(deadlineMillis, Math.max(1, timeout - margin));
    return new CallDeadline(Duration.ofMillis(millis), timeout >= deadlineMillis);
  }

  private CombinedPlan plan(RateLimiter limiter, RateLimitRequest message, List<Request> requests) {
    var rules = limiter.rules();
    String domain = Descriptors.domain(message);
    var plans = new ArrayList<Plan>(limiter.plans(requests));
    for (int i = 0; i < plans.size(); i++) {
      var own =
          descriptorLimits.plan(
              rules, plans.get(i), requests.get(i), domain, message.getDescriptors(i));
      if (own.isPresent()) plans.set(i, own.get());
    }
    return CombinedPlan.of(plans);
  }
}
