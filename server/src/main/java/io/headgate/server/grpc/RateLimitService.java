package io.headgate.server.grpc;

import io.headgate.JointResult;
import io.headgate.RateLimiter;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.RateLimitHeaders;
import io.headgate.server.grpc.proto.RateLimitRequest;
import io.headgate.server.grpc.proto.RateLimitResponse;
import io.headgate.server.grpc.proto.RateLimitResponse.Code;
import io.headgate.server.stats.DecisionListener;
import io.headgate.server.store.StoreView;
import io.headgate.server.trace.Trace;
import io.headgate.server.trace.TraceParent;
import io.headgate.server.trace.Tracing;
import io.headgate.store.Ticker;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** ShouldRateLimit, for the calls of one event loop. */
final class RateLimitService {
  private static final Logger LOG = LoggerFactory.getLogger(RateLimitService.class);
  private static final AtomicBoolean WARNED = new AtomicBoolean();

  private final Vertx vertx;
  private final RateLimiter limiter;
  private final AccessControl access;
  private final DecisionListener witness;
  private final Tracing tracing;
  private final boolean remote;
  private final long deadlineMillis;
  private final DescriptorStatuses statuses;
  private final DescriptorLimits ownLimits = new DescriptorLimits();

  RateLimitService(
      Vertx vertx,
      RateLimiter limiter,
      AccessControl access,
      Ticker ticker,
      GrpcSettings settings,
      DecisionListener witness,
      Tracing tracing) {
    this.vertx = vertx;
    this.limiter = limiter;
    this.access = access;
    this.witness = witness;
    this.tracing = tracing;
    this.remote = new StoreView(limiter.store()).isRemote();
    this.deadlineMillis = settings.deadline().toMillis();
    this.statuses = new DescriptorStatuses(new RateLimitHeaders(ticker));
  }

  void handle(GrpcServerRequest<Buffer, RateLimitResponse> call) {
    var refused =
        access.refusalOfCheck(call.headers().get(HttpHeaders.AUTHORIZATION), call.connection());
    var trace = tracing.isOn() && refused.isEmpty() ? followed(call) : Trace.NONE;
    var answer = new GrpcReply<>(call, trace);
    if (refused.isPresent()) {
      boolean unknown = refused.get().status() == 401;
      answer.fail(
          unknown ? GrpcStatus.UNAUTHENTICATED : GrpcStatus.PERMISSION_DENIED,
          refused.get().reason());
      return;
    }
    answer.whenTooLong(
        () -> deny(answer, "it has more than %d bytes".formatted(GrpcApi.LONGEST_MESSAGE)));
    answer.receiveOne(RateLimitRequest.parser(), message -> decide(call, message, answer, trace));
  }

  /** Denies a call that is too large to be decided: an error would let its request pass. */
  private static void deny(GrpcReply<RateLimitResponse> answer, String why) {
    if (WARNED.compareAndSet(false, true)) {
      LOG.warn(
          "denied a rate limit call: {}. Reduce the rate_limits or max_request_headers_kb of the"
              + " proxy; further such calls are not logged",
          why);
    }
    answer.send(RateLimitResponse.newBuilder().setOverallCode(Code.OVER_LIMIT).build());
  }

  private Trace followed(GrpcServerRequest<Buffer, RateLimitResponse> call) {
    var headers = call.headers();
    return tracing.call(
        call.fullMethodName(),
        TraceParent.of(
            headers.getAll(TraceParent.TRACEPARENT), headers.getAll(TraceParent.TRACESTATE)));
  }

  private void decide(
      GrpcServerRequest<Buffer, RateLimitResponse> call,
      RateLimitRequest message,
      GrpcReply<RateLimitResponse> answer,
      Trace trace) {
    var excess = Descriptors.excess(message);
    if (excess.isPresent()) {
      deny(answer, excess.get());
      return;
    }
    var requests = Descriptors.requests(message);
    long since = System.nanoTime();
    if (remote) trace.asks(1); // all that it asks is one question
    var decided = limiter.checkAllAsync(plan(message, requests)).toCompletableFuture();
    if (decided.isDone()) {
      var result = told(requests, decided.join(), since);
      trace.decided(result.whole(), false);
      answer.send(statuses.of(result));
      return;
    }
    // What Redis is asked it may still charge, though nobody waits for its answer any more.
    long timer = vertx.setTimer(deadline(call), fired -> answer.fail(GrpcStatus.UNAVAILABLE, LATE));
    var context = vertx.getOrCreateContext();
    var unused =
        decided.whenComplete((result, problem) ->
            context.runOnContext(woken -> {
              vertx.cancelTimer(timer);
              answer.guarded(() -> {
                var told = told(requests, decided.join(), since);
                trace.decided(told.whole(), true);
                answer.send(statuses.of(told));
              });
            }));
  }

  /** Also if nobody waits for the answer any more: it was charged. */
  private JointResult told(List<Request> requests, JointResult result, long since) {
    long nanos = System.nanoTime() - since;
    for (int i = 0; i < requests.size(); i++) {
      witness.decided(requests.get(i), result.each().get(i), nanos);
    }
    return result;
  }

  private static final String LATE = "the store did not answer within grpc-deadline";

  /** The client's own, where that is shorter. */
  private long deadline(GrpcServerRequest<?, ?> call) {
    long theirs = call.timeout();
    return theirs <= 0 ? deadlineMillis : Math.min(theirs, deadlineMillis);
  }

  private CombinedPlan plan(RateLimitRequest message, List<Request> requests) {
    var rules = limiter.rules();
    String domain = Descriptors.domain(message);
    var plans = new ArrayList<Plan>(limiter.plans(requests));
    for (int i = 0; i < plans.size(); i++) {
      var own =
          ownLimits.plan(rules, plans.get(i), requests.get(i), domain, message.getDescriptors(i));
      if (own.isPresent()) plans.set(i, own.get());
    }
    return CombinedPlan.of(plans);
  }
}
